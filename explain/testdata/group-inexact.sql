-- Equal keys may look different: 0.0 and -0.0.
CREATE MATERIALIZED VIEW v AS SELECT price, count(*) AS n FROM price GROUP BY price;
