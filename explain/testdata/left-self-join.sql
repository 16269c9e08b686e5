-- Refreshed in full by Snowflake: an outer join of a table with itself.
CREATE MATERIALIZED VIEW v AS
  SELECT a.id, b.id AS back FROM flights a LEFT JOIN flights b ON b.origin = a.destination AND b.destination = a.origin;
