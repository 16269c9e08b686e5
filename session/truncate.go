package session

import (
	"context"
	"errors"
	"io"

	"github.com/ivmc/ivmc/ast"
	"github.com/ivmc/ivmc/storage"
)

// truncate is TRUNCATE: the deletes of all rows, in the transaction and in the
// log like any others, so that views follow by the difference.
func (st *statement) truncate(ctx context.Context, n *ast.Truncate) error {
	return st.written(ctx, func(t *txn) error {
		st.res.Tag = "TRUNCATE TABLE"
		for _, name := range n.Tables {
			obj, err := tableOf(t.cat, name.Text, int(name.Pos()))
			if err != nil {
				return err
			}
			if err := st.empty(ctx, t, obj); err != nil {
				return err
			}
		}
		return nil
	})
}

func (st *statement) empty(ctx context.Context, t *txn, obj *storage.Object) error {
	cur, err := t.source().Scan(ctx, obj.ID, nil, true)
	if err != nil {
		return err
	}
	w, err := t.writesOf(obj)
	if err != nil {
		return err
	}
	for {
		b, err := cur.Next(ctx)
		if errors.Is(err, io.EOF) {
			return t.account()
		}
		if err != nil {
			return err
		}
		addrs := make([]storage.Addr, b.N)
		for i, a := range b.Cols[0].I64[:b.N] {
			addrs[i] = storage.Addr(a)
		}
		w.delete(addrs, storage.OpTruncate)
	}
}
