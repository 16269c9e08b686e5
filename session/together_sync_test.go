package session

import (
	"context"
	"fmt"
	"testing"

	"github.com/ivmc/ivmc/ast"
	"github.com/ivmc/ivmc/storage"
	"github.com/ivmc/ivmc/zset"
)

// TestRepairMovesReaders: a view that moves with commits and is computed anew takes
// those that read it along in the same commit, however it is asked for.
func TestRepairMovesReaders(t *testing.T) {
	for _, how := range []string{"REFRESH MATERIALIZED VIEW v COMPLETE", "REFRESH MATERIALIZED VIEW v", "REFRESH MATERIALIZED VIEW w CASCADE", "all"} {
		e := newEngine(t)
		s := e.Session()
		do(t, s, `CREATE TABLE t (a INT, n INT);
CREATE MATERIALIZED VIEW v REFRESH ON COMMIT AS SELECT a, sum(n) AS n FROM t GROUP BY a;
CREATE MATERIALIZED VIEW w REFRESH ON COMMIT AS SELECT count(*) AS k FROM v;
INSERT INTO t VALUES (1, 1), (2, 2)`)
		obj, _ := e.store.Catalog().ByName("v")
		rel, err := e.store.Relation(obj.ID)
		if err != nil {
			t.Fatal(err)
		}
		b := zset.NewBatch(rel.Schema().Types(), 0)
		b.Cols[0].AppendI64(9)
		b.Cols[1].AppendNull()
		b.N = 1
		bad := &storage.Change{Rel: obj.ID, SchemaVersion: obj.SchemaVersion, Ops: []storage.Op{storage.OpInsert}, Rows: b}
		if _, err := e.store.Commit(context.Background(), &storage.Commit{Changes: []*storage.Change{bad}}, storage.CommitOptions{}); err != nil {
			t.Fatal(err)
		}
		do(t, s, "INSERT INTO t VALUES (1, 5)") // w follows what is wrong
		is(t, "wrong", rows(t, s, "SELECT k FROM w"), "3")
		is(t, "found", rows(t, s, "VERIFY MATERIALIZED VIEW v"), "9|NULL|-1")
		before := e.store.Applied()
		if how == "all" {
			for _, rep := range e.together(context.Background(), nil, ast.ModeDefault, false) {
				if rep.Err != nil {
					t.Fatal(rep.Err)
				}
			}
		} else {
			do(t, s, how)
		}
		is(t, how, rows(t, s, "SELECT count(*), max(k) FROM v, w"), "2|2")
		for at := before; at <= e.store.Applied() && at < before+64; at++ { // at no moment is one right and the other not
			got := rows(t, s, fmt.Sprintf("SELECT count(*) = max(k) FROM v FOR VERSION AS OF %d, w FOR VERSION AS OF %d", at, at))
			is(t, fmt.Sprintf("%s at %d", how, at-before), got, "t")
		}
		if e.store.Applied() > before+1<<18 { // a later millisecond: look at the records
			is(t, how+": one commit", rows(t, s, fmt.Sprintf("SELECT count(DISTINCT to_tso) FROM information_schema.refresh_history WHERE to_tso > %d", before)), "1")
		}
		is(t, "verified", rows(t, s, "VERIFY MATERIALIZED VIEW v")+rows(t, s, "VERIFY MATERIALIZED VIEW w"), "")
		is(t, "no mark", e.views.Marked(obj.ID) == nil, true)
		do(t, s, "INSERT INTO t VALUES (3, 1)")
		is(t, "moves on", rows(t, s, "SELECT count(*), max(k) FROM v, w"), "3|3")
		is(t, "idle", do(t, s, "REFRESH MATERIALIZED VIEW v").Refresh.NoOp, true)
	}
}
