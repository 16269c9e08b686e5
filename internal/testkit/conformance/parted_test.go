package conformance

import "testing"

// TestParted: a statement that joins spares rows that the join leaves out an error,
// and PostgreSQL does not; it is known, and ends what is compared.
func TestParted(t *testing.T) {
	for _, sql := range []string{
		"UPDATE a SET x = x + 1 FROM b WHERE a.x = b.y AND 10 / b.y > 0",
		"DELETE FROM a USING b WHERE a.x = b.y AND 10 / b.y > 0",
	} {
		p := newPair(t)
		for _, s := range []string{"CREATE TABLE a (x integer)", "CREATE TABLE b (y integer)", "INSERT INTO a VALUES (1), (2)", "INSERT INTO b VALUES (0), (1)"} {
			p.both(s)
		}
		if p.both(sql) || !p.parted {
			t.Errorf("%s: both fail, or none", sql)
		}
	}
}
