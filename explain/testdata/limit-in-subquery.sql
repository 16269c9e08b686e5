-- Refused by Doris, Snowflake, pg_ivm and Oracle, and here: the first rows of all, below a join. What helps is another than for a LIMIT at the end.
CREATE MATERIALIZED VIEW v AS
  SELECT s.city FROM shop s JOIN (SELECT shop FROM sale ORDER BY amount DESC LIMIT 5) best ON best.shop = s.name;
