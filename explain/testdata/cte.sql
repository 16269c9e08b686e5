-- Refused by Doris, StarRocks and pg_ivm: a CTE that aggregates, read twice.
CREATE MATERIALIZED VIEW v AS
  WITH totals AS (SELECT shop, sum(amount) AS total FROM sale GROUP BY shop)
  SELECT a.shop, b.shop AS richer FROM totals a JOIN totals b ON b.total = a.total + 1;
