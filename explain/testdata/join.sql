-- A join: one term for each table, by primary key one way, by an arrangement the other.
CREATE MATERIALIZED VIEW v AS
  SELECT f.id, a.city FROM flights f JOIN airports a ON a.iata = f.origin;
