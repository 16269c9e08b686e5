CREATE MATERIALIZED VIEW v AS SELECT id FROM sale WHERE shop IN (SELECT name FROM shop WHERE city = 'Rome') OR amount > 1000;
