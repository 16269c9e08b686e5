package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ivmc/ivmc/zset"
)

// TestRulesNameTheRowOfTheFile: what a key or a rule refuses is named by its row of
// the file, also behind the first part that is inserted.
func TestRulesNameTheRowOfTheFile(t *testing.T) {
	s := newEngine(t).Session()
	s.Dir = t.TempDir()
	do(t, s, `CREATE TABLE k(id BIGINT PRIMARY KEY, u BIGINT UNIQUE, n TEXT NOT NULL CHECK (n <> 'bad'), d BIGINT CHECK (10 / d > 0));
INSERT INTO k VALUES (-1, -1, 'there', 1)`)
	var long strings.Builder
	for i := range partRows + 10 {
		fmt.Fprintf(&long, "%d,%d,x,\n", i, i)
	}
	for _, c := range []struct{ rows, code, detail string }{
		{"1,1,a,1\n1,2,b,1\n", "23505", `Key (id)=(1) already exists. File "f.csv", row 2.`},
		{"1,1,a,1\n-1,2,b,1\n", "23505", `Key (id)=(-1) already exists. File "f.csv", row 2.`},
		{"1,1,a,1\n2,,a,1\n3,1,b,1\n", "23505", `Key (u)=(1) already exists. File "f.csv", row 3.`},
		{"1,1,a,1\n2,2,,1\n", "23502", `Failing row contains (2, 2, null, 1). File "f.csv", row 2.`},
		{"1,1,bad,1\n2,2,,1\n", "23514", `Failing row contains (1, 1, bad, 1). File "f.csv", row 1.`},
		{"1,1,a,1\n2,2,a,0\n", "22012", `File "f.csv", row 2.`},
		{long.String() + "-7,5,b,\n", "23505", fmt.Sprintf(`Key (u)=(5) already exists. File "f.csv", row %d.`, partRows+11)},
		{long.String() + "5,-7,b,\n", "23505", fmt.Sprintf(`Key (id)=(5) already exists. File "f.csv", row %d.`, partRows+11)},
	} {
		if err := os.WriteFile(filepath.Join(s.Dir, "f.csv"), []byte("id,u,n,d\n"+c.rows), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := s.Run(context.Background(), "COPY k FROM 'f.csv'")
		var e *zset.Error
		if !errors.As(err, &e) || e.Code != c.code || e.Detail != c.detail || e.Pos != len("COPY k FROM ") {
			t.Errorf("%.40q: %+v, wanted %s %s", c.rows, e, c.code, c.detail)
		}
	}
	is(t, "nothing of them is there", rows(t, s, "SELECT count(*) FROM k"), "1")
}
