package storage

import "github.com/ivmc/ivmc/zset"

// Fill is what the rows that are older than a column show in it. Rows are not
// rewritten when a column is added: a version, and a block of the log, has the
// columns of its time, and readers put the rest behind it.
type Fill struct {
	Col  int    // position in the schema
	Cell []byte // one cell in the form of a block
}

// FillOf is the fill of column col by the one cell of c, which is no NULL: a
// column without a fill shows NULL.
func FillOf(col int, c *zset.Column) Fill {
	return Fill{Col: col, Cell: appendColumn(nil, c, 0, 1)}
}

// fills holds, by column, one cell; a column that is empty or absent is NULL.
type fills []zset.Column

// fillsOf decodes the fills of o; nil if it has none.
func fillsOf(o *Object) (fills, error) {
	var f fills
	for _, fill := range o.Fills {
		if fill.Col < 0 || fill.Col >= len(o.Schema) {
			return nil, errorf(ErrCorrupt, codeCorrupt, "fill of %q has no column %d", o.Name, fill.Col)
		}
		if f == nil {
			f = make(fills, len(o.Schema))
		}
		c := zset.NewColumn(o.Schema[fill.Col].Type, 1)
		r := reader{b: fill.Cell}
		if decodeColumn(&r, &c, 1); r.bad || len(r.b) != 0 {
			return nil, errorf(ErrCorrupt, codeCorrupt, "fill of column %q of %q is damaged", o.Schema[fill.Col].Name, o.Name)
		}
		f[fill.Col] = c
	}
	return f, nil
}

// append appends the fill of column c to out.
func (f fills) append(c int, out *zset.Column) {
	if c < len(f) && f[c].Len() > 0 {
		out.AppendCell(&f[c], 0)
		return
	}
	out.AppendNull()
}

// column is n cells of column c, of type t.
func (f fills) column(c int, t zset.Type, n int) zset.Column {
	out := zset.NewColumn(t, n)
	for range n {
		f.append(c, &out)
	}
	return out
}

// refill shows the relation under its new object. Only the sequencer does, and
// it has loaded the relation.
func (r *Relation) refill(o *Object) {
	f, err := fillsOf(o)
	if err != nil { // it was made by FillOf; a damaged one is found at open
		r.s.opts.Logger.Errorf("%v", err)
	}
	v := *r.view.Load()
	v.fills = f
	r.view.Store(&v)
	r.Drop(rowArrangement) // it has the columns of before
}

// widens reports whether o has more columns than the object of before, and
// refuses any other change of columns: what is stored could not be read.
func widens(before, o *Object) (bool, error) {
	for i, f := range before.Schema {
		if i >= len(o.Schema) || o.Schema[i].Type != f.Type {
			return false, errorf(ErrChange, codeInternal, "columns of %q can only be added", before.Name)
		}
	}
	return len(o.Schema) > len(before.Schema), nil
}

// prepareObject loads the relation of an object that gets more columns, so that
// no replay under the old ones is under way when it does.
func (s *Store) prepareObject(o *Object) error {
	before, ok := s.Catalog().ByID(o.ID)
	if !ok {
		_, err := fillsOf(o)
		return err
	}
	if _, err := fillsOf(o); err != nil {
		return err
	}
	wider, err := widens(before, o)
	if err != nil || !wider {
		return err
	}
	r, err := s.relation(o.ID)
	if err != nil {
		return err
	}
	return s.load(r)
}
