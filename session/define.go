package session

import (
	"context"
	"errors"
	"io"

	"github.com/ivmc/ivmc/algebra"
	"github.com/ivmc/ivmc/ast"
	"github.com/ivmc/ivmc/refresh"
	"github.com/ivmc/ivmc/storage"
	"github.com/ivmc/ivmc/zset"
)

var _ refresh.Definer = planner{}

// naiveRows bounds the work of a naive evaluation: the product of the rows of all
// scans, which nested loops may come to.
const naiveRows = 200_000

// Define evaluates the definition of a view as bound, neither normalised nor
// planned: what it shares with a refresh is the meaning of expressions.
func (p planner) Define(ctx context.Context, obj *storage.Object, at storage.Offsets) (*zset.Batch, error) {
	e := p.engine
	def, err := payloadOf(obj)
	if err != nil {
		return nil, err
	}
	stmt, err := ast.ParseWith(def.Query, e.opts.Limits)
	if err != nil {
		return nil, err
	}
	q, ok := stmt.(*ast.Query)
	if !ok {
		return nil, zset.Errorf("XX001", -1, "the definition of view %q is no query", obj.Name)
	}
	set, err := settingsOf(def.Settings)
	if err != nil {
		return nil, err
	}
	hi := at.Frontier // as a step has it: the latest of what was read
	for _, t := range at.Inputs {
		hi = max(hi, t)
	}
	node, err := algebra.Bind(q, algebra.Env{Catalog: boundCatalog{cat: e.store.Catalog(), refs: def.Refs, widths: def.Widths, names: def.Names},
		TimeZone: def.Settings["TimeZone"], Now: set.local(hi.Time()), Functions: e.opts.Functions})
	if err != nil {
		return nil, err
	}
	node = algebra.Unordered(node)
	work := int64(1)
	for _, sc := range algebra.Scans(node) {
		rel, err := e.store.Relation(storage.ID(sc.Rel))
		if err != nil {
			return nil, err
		}
		if work *= max(1, rel.Rows(at.Inputs[storage.ID(sc.Rel)])); work > naiveRows {
			return nil, nil
		}
	}
	rows := map[uint64]*zset.Batch{}
	out, err := algebra.Eval(node, func(id uint64) (*zset.Batch, error) {
		if b := rows[id]; b != nil {
			return b, nil
		}
		b, err := e.rowsAt(ctx, storage.ID(id), at.Inputs[storage.ID(id)])
		rows[id] = b
		return b, err
	})
	if err != nil { // of an expression over a row that the plan spares: nothing to compare with
		return nil, ctx.Err()
	}
	for i, f := range obj.Schema { // a literal without a type is stored as text
		if i < len(out.Cols) && out.Cols[i].Type.Kind == zset.Unknown {
			out.Cols[i].Type = f.Type
		}
	}
	return out, nil
}

// rowsAt is all rows of a relation in one batch.
func (e *Engine) rowsAt(ctx context.Context, id storage.ID, at storage.TSO) (*zset.Batch, error) {
	rel, err := e.store.Relation(id)
	if err != nil {
		return nil, err
	}
	defer e.store.Pin(at)()
	types := rel.Schema().Types()
	out := zset.NewBatch(types, int(rel.Rows(at)))
	for cur := rel.Scan(at, nil, false); ; {
		b, err := cur.Next(ctx)
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		out.Append(b)
	}
}
