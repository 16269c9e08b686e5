-- Every reason is told, in the order of the statement; REFRESH INCREMENTAL is refused for them.
CREATE MATERIALIZED VIEW v REFRESH INCREMENTAL AS
  SELECT shop, current_date AS today, rank() OVER (ORDER BY amount) AS place
  FROM sale
  ORDER BY amount
  LIMIT 5;
