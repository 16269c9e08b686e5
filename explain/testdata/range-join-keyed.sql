-- A range beside an equality is a filter on what the equality finds.
CREATE MATERIALIZED VIEW v AS
  SELECT s.id, p.price FROM sale s JOIN price p ON p.item = s.item AND s.amount >= p.low AND s.amount < p.high;
