-- Refused by pg_ivm, Oracle and Doris: NOT IN, where a NULL on either side matters.
CREATE MATERIALIZED VIEW v AS SELECT id FROM sale WHERE shop NOT IN (SELECT name FROM shop WHERE city = 'Bern');
