-- Refused by pg_ivm, StarRocks and BigQuery: a view that reads a materialized view, and one that reads a plain view.
CREATE MATERIALIZED VIEW v AS SELECT origin, sum(n) AS n FROM daily GROUP BY origin;
CREATE MATERIALIZED VIEW w AS SELECT origin, count(*) AS n FROM late GROUP BY origin;
