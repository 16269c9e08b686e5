-- A filter and a projection follow the change row by row.
CREATE MATERIALIZED VIEW v AS
  SELECT id, delay * 2 AS twice FROM flights WHERE delay > 60 AND origin IN ('SFO', 'OAK');
