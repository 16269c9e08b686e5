-- Refused by pg_ivm and Oracle: NOT EXISTS.
CREATE MATERIALIZED VIEW v AS
  SELECT a.iata FROM airports a WHERE NOT EXISTS (SELECT 1 FROM flights f WHERE f.origin = a.iata);
