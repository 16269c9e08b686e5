-- Refused by Doris and Snowflake: EXISTS in WHERE.
CREATE MATERIALIZED VIEW v AS
  SELECT a.iata, a.city FROM airports a WHERE EXISTS (SELECT 1 FROM flights f WHERE f.origin = a.iata AND f.delay > 60);
