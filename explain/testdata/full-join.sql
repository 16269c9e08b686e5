-- Refused by BigQuery and StarRocks: a full outer join.
CREATE MATERIALIZED VIEW v AS
  SELECT h.name, s.shop, s.id FROM shop h FULL JOIN sale s ON s.shop = h.name;
