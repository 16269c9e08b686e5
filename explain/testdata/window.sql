-- Not incremental here, nor in Doris, Oracle, pg_ivm and StarRocks: a window function.
CREATE MATERIALIZED VIEW v AS
  SELECT shop, item, amount FROM (
    SELECT shop, item, amount, row_number() OVER (PARTITION BY shop ORDER BY amount DESC) AS n FROM sale
  ) AS ranked
  WHERE n <= 3;
