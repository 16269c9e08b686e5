-- Two tables, a join, a group; and a view that stays right.
CREATE TABLE flights(id BIGINT PRIMARY KEY, origin TEXT, delay BIGINT);
CREATE TABLE airports(iata TEXT PRIMARY KEY, state TEXT);

INSERT INTO airports VALUES ('SEA', 'WA'), ('GEG', 'WA'), ('LAS', 'NV');
INSERT INTO flights VALUES (1, 'SEA', 12), (2, 'SEA', -3), (3, 'LAS', 45), (4, 'GEG', 0);

CREATE MATERIALIZED VIEW by_state AS
  SELECT a.state, count(*) AS flights, avg(f.delay) AS mean, max(f.delay) AS worst
  FROM flights f JOIN airports a ON f.origin = a.iata
  GROUP BY a.state;

SELECT * FROM by_state ORDER BY state;

-- Rows come, change and go, on both sides of the join.
BEGIN;
INSERT INTO flights VALUES (5, 'LAS', 60);
UPDATE flights SET delay = delay + 10 WHERE origin = 'SEA';
DELETE FROM flights WHERE id = 3;
UPDATE airports SET state = 'ID' WHERE iata = 'GEG';
COMMIT;

-- The refresh reads these changes, not the tables.
REFRESH MATERIALIZED VIEW by_state INCREMENTAL;
SELECT * FROM by_state ORDER BY state;

-- Why is it cheap?
EXPLAIN REFRESH MATERIALIZED VIEW by_state;
