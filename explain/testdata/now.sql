-- Not incremental here, nor in Oracle, Doris and pg_ivm: the clock.
CREATE MATERIALIZED VIEW v AS
  SELECT id, shop, amount, now() AS seen FROM sale WHERE sold > now() - INTERVAL '7 days';
