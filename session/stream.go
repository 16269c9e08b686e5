package session

import (
	"encoding/json"
	"fmt"

	"github.com/ivmc/ivmc/algebra"
	"github.com/ivmc/ivmc/ast"
	"github.com/ivmc/ivmc/storage"
	"github.com/ivmc/ivmc/zset"
)

// A stream is a name with a place in the log of a table or materialized view, its
// base. What it gives and whether it still can is derived from the base at each
// read. Its offset moves only in a commit, by compare-and-set, so that the rows that
// a statement wrote from it and the move are one.

// streamPayload is the definition of a stream, in its object.
type streamPayload struct {
	Base    storage.ID `json:"base"`
	Type    string     `json:"type"`
	Initial bool       `json:"show_initial_rows,omitempty"`
	Comment string     `json:"comment,omitempty"`
}

// stream is a definition with its base; nil: that was dropped.
type stream struct {
	obj *storage.Object
	streamPayload
	base *storage.Object
}

func streamOf(cat *storage.Catalog, obj *storage.Object) (stream, error) {
	s := stream{obj: obj}
	if err := json.Unmarshal(obj.Payload, &s.streamPayload); err != nil {
		return s, fmt.Errorf("definition of stream %q: %w", obj.Name, err)
	}
	s.base, _ = cat.ByID(s.Base)
	return s, nil
}

// changeColumns are the hidden columns of the changes of a stream.
var changeColumns = [3]string{"__doris_stream_change_type_col__", "__doris_stream_sequence_col__", "__doris_stream_lsn_col__"}

// changeTypes are their types.
var changeTypes = [3]zset.Type{zset.TText, zset.TInt8, zset.TInt8}

// streamRelation is the base under the name of the stream; without one no columns.
func streamRelation(cat *storage.Catalog, obj *storage.Object) algebra.Relation {
	s, err := streamOf(cat, obj)
	rel := algebra.Relation{Name: obj.Name, Stream: uint64(obj.ID)}
	if err != nil || s.base == nil { // whoever reads it is told
		return rel
	}
	rel.ID, rel.Schema, rel.Key, rel.IsView = uint64(s.base.ID), s.base.Schema, s.base.Key, s.base.Kind == storage.View
	return rel
}

// consumption is that a transaction has read a stream from an offset to its own
// snapshot.
type consumption struct {
	stream, base storage.ID
	from         storage.TSO // 0: it had none
}

// consume notes what a statement that has succeeded read. All statements of a
// transaction read the same rows of a stream, and move it once.
func (t *txn) consume(moves map[storage.ID]consumption) {
	for id, c := range moves {
		known := false
		for _, old := range t.consumed {
			known = known || old.stream == id
		}
		if !known {
			t.consumed = append(t.consumed, c)
		}
	}
}

// moved is the part of the commit that moves the consumed streams.
func (t *txn) moved() (out []storage.OffsetChange) {
	for _, c := range t.consumed {
		if c.from == t.at {
			continue
		}
		out = append(out, storage.OffsetChange{View: c.stream, Move: &storage.Move{Input: c.base, From: c.from},
			Set: storage.Offsets{Inputs: map[storage.ID]storage.TSO{c.base: t.at}, Gen: 1}})
	}
	return out
}

// stream resolves a reading of a stream; n is nil for its changes.
func (r readings) stream(id storage.ID, n *ast.Reading) (algebra.Resolved, []*zset.Error) {
	pos := -1
	if n != nil {
		pos = int(n.Pos())
	}
	fail := func(code, format string, args ...any) (algebra.Resolved, []*zset.Error) {
		return algebra.Resolved{}, []*zset.Error{zset.Errorf(code, pos, format, args...)}
	}
	obj, ok := r.cat.ByID(id)
	if !ok {
		return fail("42P01", "stream %d does not exist", id)
	}
	s, err := streamOf(r.cat, obj)
	if err != nil {
		return algebra.Resolved{}, All(err)
	}
	if n != nil {
		switch {
		case n.Kind == ast.ReadIncr:
			return fail("42809", "Invalid param type for olap table stream: @incr() is a reading of a table, and %q is a stream", obj.Name)
		case n.Kind == ast.ReadTime || n.Kind == ast.ReadVersion:
			return fail("42809", "FOR VERSION/TIME AS OF is only supported on duplicate or unique merge-on-write tables")
		case n.Kind == ast.ReadSnapshot && len(n.Params) > 0:
			return fail("22023", "snapshot does not accept parameters")
		case n.Kind == ast.ReadReset && len(n.Params) > 0:
			return fail("22023", "reset does not accept parameters")
		}
	}
	if why := r.broken(s); why != "" {
		_, errs := fail("55000", "stream %q cannot be read: %s", obj.Name, why)
		errs[0].Object, errs[0].Hint = obj.Name, "Drop it with DROP STREAM "+ast.QuoteIdent(obj.Name)+" FORCE."
		return algebra.Resolved{}, errs
	}
	c := consumption{stream: id, base: s.Base, from: r.offsets[id].Inputs[s.Base]}
	if n == nil || n.Kind == ast.ReadReset {
		if r.moves != nil {
			r.moves[id] = c
		}
	}
	rel, err := r.store.Relation(s.Base)
	if err != nil {
		return algebra.Resolved{}, All(err)
	}
	now := algebra.Reading{Kind: algebra.ImageReading, Hi: uint64(r.at)}
	if n != nil && n.Kind == ast.ReadReset {
		return algebra.Resolved{Reading: now}, nil
	}
	if why := r.stale(s, rel, c.from); why != "" {
		_, errs := fail("55000", "stream %q is stale: %s", obj.Name, why)
		errs[0].Object, errs[0].Hint = obj.Name, "Read "+ast.QuoteIdent(obj.Name)+"@reset() in a statement that writes: it gives the rows of now, and the stream goes on from there."
		return algebra.Resolved{}, errs
	}
	if n != nil {
		then := algebra.Reading{Kind: algebra.ImageReading, Hi: uint64(c.from)}
		if c.from == 0 || rel.LastTruncation(c.from, r.at) != 0 { // nothing of it was consumed and is still there
			then = algebra.Reading{Kind: algebra.InsertsReading, Lo: uint64(r.at), Hi: uint64(r.at)}
		}
		return algebra.Resolved{Reading: then}, nil
	}
	out := algebra.Resolved{Reading: now, Hidden: changeColumns, Words: true}
	if c.from == 0 {
		out.Arrived = uint64(rel.LastChange(r.at))
		if out.Arrived == 0 {
			out.Arrived = uint64(r.at)
		}
		return out, nil
	}
	props, err := logOf(s.base)
	if err != nil {
		return algebra.Resolved{}, All(err)
	}
	out.Reading = algebra.Reading{Kind: incrModes[s.Type], Lo: uint64(c.from), Hi: uint64(r.at)}
	out.KeysOnly = s.base.Key != nil && props.NoHistory
	return out, nil
}

// broken says why no reading of s is possible; "" if there is one.
func (r readings) broken(s stream) string {
	if s.base == nil {
		return "its base table was dropped"
	}
	return ""
}

// stale says why the changes since an offset cannot be read; "" if they can. What
// the retention has given up counts as gone before it is, unless the offset holds
// it; where nothing happened in between, nothing is missing.
func (r readings) stale(s stream, rel *storage.Relation, from storage.TSO) string {
	if from == 0 {
		return ""
	}
	gone := rel.Readable(from) != nil
	if keep := s.base.Retention; !gone && keep.Unpinned {
		gone = rel.ChangeCount(from, min(rel.Expired(), r.at)) > 0
	}
	if gone {
		return brokenLog(from, s.base.Name)
	}
	return ""
}

func brokenLog(from storage.TSO, base string) string {
	return fmt.Sprintf("BINLOG_BROKEN: changes since TSO %d are gone by the retention of %q", from, base)
}
