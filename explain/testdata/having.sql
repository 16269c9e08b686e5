-- Refused by pg_ivm, BigQuery and Doris: HAVING.
CREATE MATERIALIZED VIEW v AS SELECT shop, sum(amount) AS total FROM sale GROUP BY shop HAVING count(*) > 10;
