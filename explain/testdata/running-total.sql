-- Refused by Doris, StarRocks, pg_ivm and Oracle, and here: each sum depends on all rows before.
CREATE MATERIALIZED VIEW v AS SELECT id, sum(amount) OVER (ORDER BY sold) AS total FROM sale;
