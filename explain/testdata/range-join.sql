-- A join by ranges has no equality to look up by.
CREATE MATERIALIZED VIEW v AS
  SELECT s.id, p.price FROM sale s JOIN price p ON s.amount >= p.low AND s.amount < p.high;
