-- Refused by pg_ivm and StarRocks: several groupings of the same rows.
CREATE MATERIALIZED VIEW v AS
  SELECT shop, item, sum(amount) AS total FROM sale GROUP BY GROUPING SETS ((shop, item), (shop), ());
