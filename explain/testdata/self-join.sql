-- A table that is joined with itself is two inputs.
CREATE MATERIALIZED VIEW v AS
  SELECT a.id AS first, b.id AS second FROM flights a JOIN flights b ON b.origin = a.destination AND b.day = a.day;
