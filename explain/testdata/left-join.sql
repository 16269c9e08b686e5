-- Refused by pg_ivm and StarRocks: an outer join under an aggregate.
CREATE MATERIALIZED VIEW v AS
  SELECT h.name, count(s.id) AS sales, sum(s.amount) AS total
  FROM shop h LEFT JOIN sale s ON s.shop = h.name GROUP BY h.name;
