-- Refused by Doris: ORDER BY. It says nothing of the rows, and is left out.
CREATE MATERIALIZED VIEW v AS SELECT id, amount FROM sale ORDER BY amount DESC;
