-- Refused by pg_ivm: FILTER on an aggregate.
CREATE MATERIALIZED VIEW v AS
  SELECT origin, count(*) AS n, count(*) FILTER (WHERE delay > 15) AS late FROM flights GROUP BY origin;
