-- Falls back on deletes in Doris, inserts only in Oracle: MIN and MAX.
CREATE MATERIALIZED VIEW v AS SELECT origin, min(delay) AS best, max(delay) AS worst FROM flights GROUP BY origin;
