-- A join that reads an aggregate: its rows are kept, for they are no table.
CREATE MATERIALIZED VIEW v AS
  SELECT h.city, g.total FROM (SELECT shop, sum(amount) AS total FROM sale GROUP BY shop) AS g JOIN shop h ON h.name = g.shop;
