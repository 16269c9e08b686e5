-- Refused by Doris, Oracle and ReadySet: queries as values, one that reads the row around it and one that does not.
CREATE MATERIALIZED VIEW v AS
  SELECT s.name, (SELECT max(amount) FROM sale WHERE sale.shop = s.name) AS best FROM shop s;
CREATE MATERIALIZED VIEW w AS
  SELECT id FROM sale WHERE amount > (SELECT avg(amount) FROM sale);
