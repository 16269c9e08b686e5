-- Refused by Doris, StarRocks and pg_ivm: COUNT(DISTINCT).
CREATE MATERIALIZED VIEW v AS SELECT shop, count(DISTINCT item) AS items FROM sale GROUP BY shop;
