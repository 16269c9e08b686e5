-- Refused by Doris, Databricks and Oracle: an aggregate over an aggregate.
CREATE MATERIALIZED VIEW v AS
  SELECT n, count(*) AS shops FROM (SELECT shop, count(*) AS n FROM sale GROUP BY shop) AS g GROUP BY n;
