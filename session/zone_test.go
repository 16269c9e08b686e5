package session

import "testing"

// TestTimestampTZ: a moment is stored in UTC; literals, defaults and casts are read
// in the zone of the session, and a view keeps the zone that it was made under.
func TestTimestampTZ(t *testing.T) {
	e, err := Open("", Options{InMemory: true})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	s := e.Session()
	do(t, s, "CREATE TABLE m(id INT PRIMARY KEY, at TIMESTAMPTZ)")
	do(t, s, "SET timezone = 'America/New_York'")
	do(t, s, "INSERT INTO m VALUES (1, '2024-03-10 12:00:00'), (2, '2024-03-10 01:30:00')")
	do(t, s, "CREATE MATERIALIZED VIEW v AS SELECT id, at::text AS shown, at + INTERVAL '1 day' AS next FROM m")
	do(t, s, "SET timezone = 'UTC'")
	do(t, s, "INSERT INTO m VALUES (3, '2024-03-10 12:00:00')")
	do(t, s, "REFRESH MATERIALIZED VIEW v")
	is(t, "in UTC", rows(t, s, "SELECT id, at FROM m ORDER BY id"),
		"1|2024-03-10 16:00:00+00\n2|2024-03-10 06:30:00+00\n3|2024-03-10 12:00:00+00")
	is(t, "the view's zone", rows(t, s, "SELECT * FROM v ORDER BY id"),
		"1|2024-03-10 12:00:00-04|2024-03-11 16:00:00+00\n2|2024-03-10 01:30:00-05|2024-03-11 05:30:00+00\n3|2024-03-10 08:00:00-04|2024-03-11 12:00:00+00")
	do(t, s, "UPDATE m SET at = '2024-07-01 00:00:00' WHERE at < '2024-03-10 07:00:00'")
	is(t, "updated", rows(t, s, "SELECT at::text FROM m WHERE id = 2"), "2024-07-01 00:00:00+00")
}
