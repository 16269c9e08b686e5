-- Refused by pg_ivm, Oracle and StarRocks: a list of the values of a group.
CREATE MATERIALIZED VIEW v AS SELECT shop, string_agg(item, ', ' ORDER BY sold DESC) AS items FROM sale GROUP BY shop;
