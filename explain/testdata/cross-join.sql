-- Nothing connects the two: it is incremental, but each changed row reads all of the other table.
CREATE MATERIALIZED VIEW v AS SELECT s.name, p.item, p.price FROM shop s CROSS JOIN price p;
