-- Refused by pg_ivm and StarRocks: standard deviation.
CREATE MATERIALIZED VIEW v AS SELECT origin, stddev(delay) AS spread FROM flights GROUP BY origin;
