-- A view without a table.
CREATE MATERIALIZED VIEW v AS SELECT * FROM (VALUES (1, 'one'), (2, 'two')) AS t(n, word);
