package runtime

import (
	"bytes"

	"github.com/ivmc/ivmc/zset"
)

// emission builds the rows of a run of groups, old and new side by side.
type emission struct {
	types    []zset.Type
	old, new zset.Batch
	ids      []uint32
	hasOld   []int32 // per group of the run: its row in old, -1: none
	hasNew   []int32
	selOld   []int32
	selNew   []int32
	scratch  zset.Column
	tmp      [2][]byte
	lent     bool // the output has the columns of new
}

func (e *emission) init(types []zset.Type) { e.types = types }

// emitGroups fills out with -old +new of the local groups [from, to) that differ.
func (o *aggregateOp) emitGroups(from, to uint32) error {
	e := &o.emit
	if err := o.rows(&e.old, true, from, to, &e.hasOld); err != nil {
		return err
	}
	if err := o.rows(&e.new, false, from, to, &e.hasNew); err != nil {
		return err
	}
	if e.old.N == 0 { // from empty, or new groups only
		o.out, e.lent = e.new, true
		o.out.Consolidated = true
		o.out.W = nil
		return nil
	}
	e.selOld, e.selNew = e.selOld[:0], e.selNew[:0]
	for g := range e.hasOld {
		a, b := e.hasOld[g], e.hasNew[g]
		if a >= 0 && b >= 0 && zset.SameRow(e.old.Cols, int(a), e.new.Cols, int(b)) {
			continue
		}
		if a >= 0 {
			e.selOld = append(e.selOld, a)
		}
		if b >= 0 {
			e.selNew = append(e.selNew, b)
		}
	}
	if e.lent || o.out.Cols == nil {
		o.out, e.lent = zset.Batch{Cols: make([]zset.Column, len(e.types))}, false
	}
	for c, t := range e.types {
		reuse(&o.out.Cols[c], t)
		o.out.Cols[c].AppendTake(&e.old.Cols[c], e.selOld)
		o.out.Cols[c].AppendTake(&e.new.Cols[c], e.selNew)
	}
	o.out.N = len(e.selOld) + len(e.selNew)
	o.out.W = sized(o.out.W, o.out.N)
	for i := range o.out.W {
		o.out.W[i] = 1
		if i < len(e.selOld) {
			o.out.W[i] = -1
		}
	}
	o.out.Consolidated = true
	return nil
}

// rows makes the output rows of the local groups [from, to) as they were (old)
// or as they are; has[g] is the row of group from+g.
func (o *aggregateOp) rows(b *zset.Batch, old bool, from, to uint32, has *[]int32) error {
	e := &o.emit
	if b.Cols == nil {
		b.Cols = make([]zset.Column, len(e.types))
	}
	for c, t := range e.types {
		reuse(&b.Cols[c], t)
	}
	*has = sized(*has, int(to-from))
	src := o.local
	if old {
		src = o.main
	}
	ids := e.ids[:0]
	b.N = 0
	for g := from; g < to; g++ {
		(*has)[g-from] = -1
		id := g
		if old {
			id = o.old[g]
		}
		if old && o.main == nil {
			continue
		}
		if o.kept != nil && src.table.Key(id) == nil {
			continue
		}
		if !o.a.Global && (id == zset.NoID || src.count[id] == 0) {
			continue
		}
		if id == zset.NoID {
			src, id = o.empty, 0
		}
		(*has)[g-from] = int32(b.N)
		b.N++
		ids = append(ids, id)
		if err := o.keyCells(b, old, g); err != nil {
			return err
		}
		if err := o.extremes(b, old, g); err != nil {
			return err
		}
	}
	e.ids = ids
	if len(ids) == 0 {
		return nil
	}
	for j, acc := range src.accs {
		if acc == nil {
			continue
		}
		if err := acc.Result(ids, &b.Cols[len(o.a.Keys)+j]); err != nil {
			return err
		}
	}
	return nil
}

// keyCells appends the keys of local group g: decoded, or where equal keys need
// not be identical the least that is there.
func (o *aggregateOp) keyCells(b *zset.Batch, old bool, g uint32) (err error) {
	key := o.local.table.Key(g)
	if o.least == nil {
		for c := range o.a.Keys {
			if key, err = zset.DecodeKey(key, &b.Cols[c]); err != nil {
				return err
			}
		}
		return nil
	}
	enc := o.extreme(o.least, old, g, false, zset.Type{})
	if enc == nil {
		return errState("keys of a group")
	}
	for c := range o.a.Keys {
		if enc, err = zset.DecodeRow(enc, &b.Cols[c]); err != nil {
			return err
		}
	}
	return nil
}

// extremes appends the MINs, MAXs and lists of local group g that multisets hold.
func (o *aggregateOp) extremes(b *zset.Batch, old bool, g uint32) error {
	for j, p := range o.multi {
		if p < 0 || o.local.accs[j] != nil {
			continue
		}
		c := &b.Cols[len(o.a.Keys)+j]
		if m := o.multis[p]; m.list != nil {
			from, to := 0, 0
			if !old {
				from, to = m.group(g)
			}
			if err := m.list.read(m, o.local.table.Key(g), from, to, c); err != nil {
				return err
			}
			continue
		}
		enc := o.extreme(o.multis[p], old, g, o.a.Aggs[j].Name == "max", o.a.Aggs[j].Typ)
		if enc == nil {
			c.AppendNull()
			continue
		}
		if _, err := zset.DecodeRow(enc, c); err != nil {
			return err
		}
	}
	return nil
}

// extreme is the row encoding of the least (or the greatest) member of m in
// local group g; nil if there is none.
func (o *aggregateOp) extreme(m *multi, old bool, g uint32, max bool, t zset.Type) []byte {
	prefix := o.local.table.Key(g)
	from, to := 0, 0
	if !old {
		from, to = m.group(g)
	}
	if !max {
		return m.tally.least(m.main, prefix, from, to)
	}
	var same func(a, b []byte) bool
	if !zset.KeyExact(t) {
		same = func(a, b []byte) bool { return o.sameKey(t, a, b) }
	}
	return m.tally.greatest(m.main, prefix, from, to, same)
}

// sameKey reports whether two row encodings are of cells that are not distinct.
func (o *aggregateOp) sameKey(t zset.Type, a, b []byte) bool {
	e := &o.emit
	for i, enc := range [2][]byte{a, b} {
		reuse(&e.scratch, t)
		if _, err := zset.DecodeRow(enc, &e.scratch); err != nil {
			return false
		}
		e.tmp[i] = zset.AppendKey(e.tmp[i][:0], &e.scratch, 0)
	}
	return bytes.Equal(e.tmp[0], e.tmp[1])
}
