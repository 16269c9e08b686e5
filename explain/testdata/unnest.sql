-- Refused by pg_ivm, BigQuery and Doris: rows made of lists.
CREATE MATERIALIZED VIEW v AS SELECT l.who, w.word, count(*) AS n FROM log l CROSS JOIN unnest(string_to_array(l.what, ' ')) AS w(word) GROUP BY l.who, w.word;
