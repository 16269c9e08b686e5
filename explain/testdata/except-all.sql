-- Refreshed in full by Snowflake, refused by Doris: EXCEPT, here with ALL.
CREATE MATERIALIZED VIEW v AS SELECT city FROM airports EXCEPT ALL SELECT city FROM shop;
