-- Refreshed in full by Snowflake, refused by Doris: INTERSECT.
CREATE MATERIALIZED VIEW v AS SELECT city FROM shop INTERSECT SELECT city FROM airports;
