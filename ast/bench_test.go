package ast

import "testing"

// oneKilobyte is a query of about 1 KB with most of the grammar in it.
const oneKilobyte = `WITH recent AS (
  SELECT f.id, f.origin, f.destination, f.delay, f.distance, f.date
  FROM flights AS f
  WHERE f.date >= TIMESTAMP '2001-01-01 00:00:00' AND f.delay BETWEEN -30 AND 600
), busy (origin, n) AS (
  SELECT origin, count(*) FROM recent GROUP BY origin HAVING count(*) > 100
)
SELECT a.state, r.origin, EXTRACT(month FROM r.date) AS month,
       count(*) AS flights,
       count(*) FILTER (WHERE r.delay > 60) AS late,
       sum(CASE WHEN r.delay > 0 THEN r.delay ELSE 0 END) AS minutes,
       avg(r.delay)::decimal(10, 2) AS mean,
       max(r.distance * 1.609 + 0.5) AS km
FROM recent r
JOIN busy b ON b.origin = r.origin
LEFT JOIN airports a ON a.iata = r.origin AND a.country IN ('USA', 'PR', 'VI')
WHERE EXISTS (SELECT 1 FROM airports d WHERE d.iata = r.destination AND d.latitude > 40.0)
  AND r.origin NOT LIKE 'X%' AND (r.delay IS NOT NULL OR NOT r.distance < 10)
GROUP BY a.state, r.origin, EXTRACT(month FROM r.date)
ORDER BY late DESC NULLS LAST, 1, 2
LIMIT 100`

func BenchmarkParseQuery(b *testing.B) {
	b.SetBytes(int64(len(oneKilobyte)))
	b.ReportAllocs()
	for range b.N {
		if _, err := Parse(oneKilobyte); err != nil {
			b.Fatal(err.(Errors).Render(oneKilobyte, "query"))
		}
	}
}

func BenchmarkScan(b *testing.B) {
	b.SetBytes(int64(len(oneKilobyte)))
	for range b.N {
		if _, _, e := tokenise(nil, oneKilobyte, DefaultLimits()); e != nil {
			b.Fatal(e)
		}
	}
}

func BenchmarkParseInsert1MLiterals(b *testing.B) {
	src := bigInsert(200_000)
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		if _, err := Parse(src); err != nil {
			b.Fatal(err)
		}
	}
}
