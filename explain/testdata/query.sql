-- A query that is no view: how it is computed.
EXPLAIN (STAGE 'all') SELECT origin, delay FROM flights WHERE id IN (3, 4) ORDER BY delay LIMIT 1;
EXPLAIN (STAGE 'all') SELECT city, count(*) AS n FROM airports WHERE lat > 40 GROUP BY city;
