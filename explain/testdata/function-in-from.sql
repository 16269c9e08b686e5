CREATE MATERIALIZED VIEW v AS SELECT id, x FROM sale, generate_series(1, 3) AS x WHERE amount > x;
