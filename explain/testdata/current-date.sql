-- Refused by Doris, pg_ivm and Oracle, and here: ages that change by themselves.
CREATE MATERIALIZED VIEW v AS SELECT name, current_date - opened AS days FROM shop WHERE opened > current_date - 30;
