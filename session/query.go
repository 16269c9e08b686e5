package session

import (
	"context"
	"fmt"
	"io"
	"strconv"

	"github.com/ivmc/ivmc/algebra"
	"github.com/ivmc/ivmc/ast"
	"github.com/ivmc/ivmc/delta"
	"github.com/ivmc/ivmc/runtime"
	"github.com/ivmc/ivmc/storage"
	"github.com/ivmc/ivmc/zset"
)

// env is what the statement binds against, in the catalog of t.
func (st *statement) env(t *txn) algebra.Env {
	return algebra.Env{Stop: st.stop, Catalog: catalog{t.cat}, Read: st.readings(t).read, System: func(name string) ([][]zset.Value, error) { return st.s.engine.systemRows(t, name) }, Params: st.params, Now: st.s.settings.local(st.now), TimeZone: st.s.settings.TimeZone.String(),
		Functions: st.s.engine.opts.Functions}
}

// readings are those of t, which note the streams that they would move.
func (st *statement) readings(t *txn) readings {
	if st.moves == nil {
		st.moves = map[storage.ID]consumption{}
	}
	return readings{store: st.s.engine.store, cat: t.cat, at: t.at, zone: st.s.settings.TimeZone, offsets: t.offsets, moves: st.moves,
		wrote: func(id storage.ID) bool { return t.writes[id] != nil }}
}

// query runs a SELECT. The rows are read while the caller asks for them.
func (st *statement) query(ctx context.Context, q *ast.Query) error {
	t, own := st.transaction()
	rows, node, err := st.open(ctx, t, q)
	if err != nil {
		if own {
			t.end()
		}
		return err
	}
	st.behind(t, node)
	if err := st.outside(t, node); err != nil {
		rows.Close()
		if own {
			t.end()
		}
		return err
	}
	next := func(ctx context.Context) (*zset.Batch, error) {
		b, err := rows.Next(ctx)
		if b == nil && err == nil {
			err = io.EOF
		}
		return b, err
	}
	release := t.end
	if !own { // the rows may outlive the transaction
		release = st.s.engine.store.Pin(t.at)
	}
	zone, err := zset.SessionZone(st.s.settings.TimeZone.String())
	if err != nil {
		rows.Close()
		release()
		return err
	}
	st.res.Rows = &Rows{Schema: node.Schema(), Zone: zone, next: next, close: func() {
		rows.Close()
		release()
	}}
	return nil
}

// outside waits until changes that a query hands out are on the disk: who keeps them
// would find others there after a crash.
func (st *statement) outside(t *txn, node algebra.Node) error {
	for _, sc := range algebra.Scans(node) {
		if sc.Reading != nil {
			return worded(st.s.engine.store.Durable(t.at))
		}
	}
	return nil
}

// open binds and plans q and starts to run it.
func (st *statement) open(ctx context.Context, t *txn, q *ast.Query) (*runtime.Rows, algebra.Node, error) {
	node, err := algebra.Bind(q, st.env(t))
	if err != nil {
		return nil, nil, err
	}
	if err := st.readable(node); err != nil {
		return nil, nil, err
	}
	rows, err := run(ctx, t, node)
	return rows, node, err
}

// run plans a query from empty (I1) and starts it over what t sees.
func run(ctx context.Context, t *txn, node algebra.Node) (*runtime.Rows, error) {
	plan, err := t.engine.fullPlan(node, t.at, ctx.Err)
	if err != nil {
		return nil, err
	}
	rows, err := runtime.Query(ctx, plan, t.source())
	if err == nil {
		rows.Account(t.engine.budget)
	}
	return rows, err
}

// fullPlan is the ordinary plan of a query, unless stop says that none is needed.
func (e *Engine) fullPlan(node algebra.Node, at storage.TSO, stop func() error) (*delta.Plan, error) {
	normal, err := algebra.NormalizeUntil(node, stop)
	if err != nil {
		return nil, err
	}
	plan, blockers := delta.Derive(normal, delta.Options{FromEmpty: true, Rows: e.statistics(node, at), Stop: stop})
	if err := stop(); err != nil {
		return nil, err
	}
	if plan == nil {
		return nil, blocked(blockers)
	}
	return plan, nil
}

// statistics estimates the rows of the relations that a query reads.
func (e *Engine) statistics(node algebra.Node, at storage.TSO) map[uint64]int64 {
	rows := map[uint64]int64{}
	for _, sc := range algebra.Scans(node) {
		if r, err := e.store.Relation(storage.ID(sc.Rel)); err == nil {
			rows[sc.Rel] = r.Rows(at)
		}
	}
	return rows
}

// withoutLog has the relations of a query that keep no change log.
func (e *Engine) withoutLog(node algebra.Node) map[uint64]bool {
	off := map[uint64]bool{}
	cat := e.store.Catalog()
	for _, sc := range algebra.Scans(node) {
		if obj, ok := cat.ByID(storage.ID(sc.Rel)); ok && obj.Retention.Off {
			off[sc.Rel] = true
		}
	}
	return off
}

// blocked makes errors of the blockers (0A000), every one at its place.
func blocked(bs []delta.Blocker) error {
	var es Errors
	for _, b := range bs {
		e := zset.Errorf("0A000", b.Pos, "%s: %s", b.Code, blockerText(b))
		e.Hint, e.Object = b.Rewrite, b.Object
		es = append(es, e)
	}
	if len(es) == 0 {
		es = Errors{zset.Errorf("XX000", -1, "the query has no plan and no reason")}
	}
	return es
}

func blockerText(b delta.Blocker) string {
	if b.Object == "" {
		return b.Reason
	}
	return b.Object + ": " + b.Reason
}

// readable refuses views that were never filled (55000).
func (st *statement) readable(node algebra.Node) error {
	for _, sc := range algebra.Scans(node) {
		if !sc.IsView {
			continue
		}
		if _, ok := st.s.engine.views.Frontier(storage.ID(sc.Rel)); !ok {
			e := zset.Errorf("55000", int(sc.Pos), "materialized view %q has not been populated", sc.Name)
			e.Hint = "Use the REFRESH MATERIALIZED VIEW command."
			e.Object = sc.Name
			return e
		}
	}
	return nil
}

// behind notices, for every view read, what it does not show yet.
func (st *statement) behind(t *txn, node algebra.Node) {
	said := map[uint64]bool{}
	for _, sc := range algebra.Scans(node) {
		if !sc.IsView || said[sc.Rel] || sc.Reading != nil {
			continue
		}
		said[sc.Rel] = true
		if k := st.s.engine.views.Marked(storage.ID(sc.Rel)); k != nil {
			st.res.notice(delta.CodeMismatch, fmt.Sprintf("view %q was found to differ from its definition in %d rows at %d (%s); REFRESH .. COMPLETE makes it right",
				sc.Name, k.Differing, k.Frontier, timeText(k.Frontier)))
		}
		lag, ok := st.s.engine.views.Behind(storage.ID(sc.Rel), t.at)
		if !ok {
			continue
		}
		pending := "changes are pending"
		switch {
		case lag.Exact && lag.Changes == 1:
			pending = "1 change is pending"
		case lag.Exact:
			pending = fmt.Sprintf("%d changes are pending", lag.Changes)
		}
		st.res.notice("VIEW_BEHIND", fmt.Sprintf("view %q stands for %d (%s); %s", sc.Name, lag.Frontier, timeText(lag.Frontier), pending))
	}
}

// timeText is the time of a TSO, in UTC.
func timeText(t storage.TSO) string { return t.Time().UTC().Format("2006-01-02 15:04:05.000") }

// textRows is a result of text columns.
func textRows(names []string, rows [][]string) *Rows {
	b := &zset.Batch{N: len(rows)}
	var schema zset.Schema
	for c, name := range names {
		schema = append(schema, zset.Field{Name: name, Type: zset.TText})
		col := zset.NewColumn(zset.TText, len(rows))
		for _, r := range rows {
			col.AppendBytes([]byte(r[c]))
		}
		b.Cols = append(b.Cols, col)
	}
	return readyRows(schema, b)
}

// readyRows is a result that is there already; b may be nil or empty.
func readyRows(schema zset.Schema, b *zset.Batch) *Rows {
	return &Rows{
		Schema: schema,
		next: func(context.Context) (*zset.Batch, error) {
			if b == nil {
				return nil, io.EOF
			}
			out := b
			b = nil
			return out, nil
		},
		close: func() {},
	}
}

// SelectTag is the command tag of a query that gave n rows.
func SelectTag(n int64) string { return tag("SELECT", n) }

// IsNumber reports whether tables set a column of type t to the right.
func IsNumber(t zset.Type) bool {
	switch t.Kind {
	case zset.Int2, zset.Int4, zset.Int8, zset.Float4, zset.Float8, zset.Numeric:
		return true
	}
	return false
}

func tag(word string, n int64) string { return word + " " + strconv.FormatInt(n, 10) }

// RowCount is the number of rows of b, copies counted.
func RowCount(b *zset.Batch) int64 {
	if b.W == nil {
		return int64(b.N)
	}
	var n int64
	for _, w := range b.W[:b.N] {
		n += w
	}
	return n
}
