-- One row over all rows.
CREATE MATERIALIZED VIEW v AS SELECT count(*) AS n, sum(delay) AS delay FROM flights;
