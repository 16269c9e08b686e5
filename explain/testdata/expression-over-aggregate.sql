-- Refused by pg_ivm and BigQuery: arithmetic on aggregates.
CREATE MATERIALIZED VIEW v AS SELECT origin, sum(delay) * 1.0 / count(*) AS mean FROM flights GROUP BY origin;
