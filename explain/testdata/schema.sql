-- The tables of all goldens.
CREATE TABLE flights(id BIGINT PRIMARY KEY, day DATE, origin VARCHAR(3), destination VARCHAR(3), delay INT, distance INT);
CREATE TABLE airports(iata VARCHAR(3) PRIMARY KEY, city TEXT, state TEXT, lat DOUBLE);
CREATE TABLE sale(id BIGINT PRIMARY KEY, shop TEXT, item TEXT, amount NUMERIC(12,2), sold TIMESTAMP);
CREATE TABLE shop(name TEXT PRIMARY KEY, city TEXT, opened DATE);
CREATE TABLE price(item TEXT, low INT, high INT, price DOUBLE);
CREATE TABLE log(at TIMESTAMP, who TEXT, what TEXT);
CREATE VIEW late AS SELECT * FROM flights WHERE delay > 15;
CREATE MATERIALIZED VIEW daily AS SELECT day, origin, count(*) AS n, sum(delay) AS delay FROM flights GROUP BY day, origin;
