-- Refused by Doris, pg_ivm and StarRocks: UNION without ALL.
CREATE MATERIALIZED VIEW v AS SELECT city FROM shop UNION SELECT city FROM airports;
