-- Aggregates that add up: what is kept is one accumulator for each.
CREATE MATERIALIZED VIEW v AS
  SELECT shop, count(*) AS n, sum(amount) AS total, avg(amount) AS mean FROM sale GROUP BY shop;
