-- DISTINCT counts equal rows.
CREATE MATERIALIZED VIEW v AS SELECT DISTINCT state, city FROM airports;
