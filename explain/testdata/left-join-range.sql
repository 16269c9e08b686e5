-- Refreshed in full by Snowflake, refused by Oracle: an outer join with a condition that is no equality.
CREATE MATERIALIZED VIEW v AS
  SELECT s.id, p.price FROM sale s LEFT JOIN price p ON p.item = s.item AND s.amount >= p.low;
