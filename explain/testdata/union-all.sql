-- UNION ALL, with a constant row.
CREATE MATERIALIZED VIEW v AS SELECT name FROM shop UNION ALL SELECT iata FROM airports UNION ALL SELECT 'none';
