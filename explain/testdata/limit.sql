-- Not incremental here, nor in Doris, Oracle and Snowflake: the first rows.
CREATE MATERIALIZED VIEW v AS SELECT id, amount FROM sale ORDER BY amount DESC LIMIT 10;
