-- Refused by Doris: IN with a query.
CREATE MATERIALIZED VIEW v AS
  SELECT id, amount FROM sale WHERE shop IN (SELECT name FROM shop WHERE city = 'Bern');
