-- Three inputs are one join with three terms.
CREATE MATERIALIZED VIEW v AS
  SELECT f.id, o.city AS from_city, d.city AS to_city
  FROM flights f JOIN airports o ON o.iata = f.origin JOIN airports d ON d.iata = f.destination
  WHERE o.state = 'CA';
