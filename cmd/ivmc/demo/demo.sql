-- Flights of the first days of 2001, and the airports they left from.
CREATE TABLE flights(id BIGINT PRIMARY KEY, date TIMESTAMP, delay BIGINT, distance BIGINT, origin TEXT, destination TEXT);
CREATE TABLE airports(iata TEXT PRIMARY KEY, name TEXT, city TEXT, state TEXT, country TEXT, latitude DOUBLE PRECISION, longitude DOUBLE PRECISION);
COPY flights FROM '{dir}/flights.csv.gz';
COPY airports FROM '{dir}/airports.csv.gz' (NULL 'NA');

-- How late are flights, by state? And the states that are worst, as a view on that view.
CREATE MATERIALIZED VIEW by_state AS
  SELECT a.state, count(*) AS flights, round(avg(f.delay), 1) AS mean, max(f.delay) AS worst
  FROM flights f JOIN airports a ON a.iata = f.origin
  GROUP BY a.state;
CREATE MATERIALIZED VIEW late_states REFRESH INCREMENTAL AS
  SELECT state, flights, mean FROM by_state WHERE flights >= 100 AND mean > 10;
SELECT * FROM late_states ORDER BY mean DESC LIMIT 5;

-- A thousand flights land, one was recorded wrongly, and those that left Kahului are taken out.
COPY flights FROM '{dir}/arrivals.csv.gz';
UPDATE flights SET delay = delay + 600 WHERE id = 4711;
DELETE FROM flights WHERE origin = 'OGG';

-- The views still show what was. A refresh reads what changed, not the tables.
REFRESH MATERIALIZED VIEW by_state;
REFRESH MATERIALIZED VIEW late_states;
SELECT * FROM late_states ORDER BY mean DESC LIMIT 5;

-- Why is that cheap? Read from below: from what changed to what changes in the view.
EXPLAIN REFRESH MATERIALIZED VIEW by_state;
