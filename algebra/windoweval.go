package algebra

import (
	"bytes"
	"slices"

	"github.com/ivmc/ivmc/expr"
	"github.com/ivmc/ivmc/zset"
)

// windowRow is a row as a call sees it.
type windowRow struct {
	at         int // in the batch
	part       string
	by         []cell
	all        []byte
	key        []cell // of the frame, and its ends
	start, end []cell
	group      int64 // number among the groups of peers of its partition
}

// partRows is the rows of one partition in order, with what the call reads of them.
type partRows struct {
	c    *WindowCall
	rows []windowRow
	args []zset.Column // a cell per row of the batch
}

// values is the column of the call.
func (c *WindowCall) values(b *zset.Batch) (zset.Column, error) {
	out := zset.NewColumn(c.Typ, b.N)
	read := slices.Clone(c.Args)
	if c.Agg != nil {
		read = inputs(*c.Agg)
	}
	nArgs := len(read)
	read = append(read, c.Partition...)
	for _, k := range c.By {
		read = append(read, k.Expr)
	}
	ends := []*expr.Expr{c.Frame.Key, c.Frame.Start.At, c.Frame.End.At}
	for _, e := range ends {
		if e != nil {
			read = append(read, e)
		}
	}
	r, err := newRowwise(read)
	if err != nil {
		return out, err
	}
	args := make([]zset.Column, nArgs)
	for k := range args {
		args[k] = zset.NewColumn(read[k].Typ, b.N)
	}
	rows := make([]windowRow, b.N)
	for i := range b.N {
		cols, err := r.at(b, i)
		if err != nil {
			return out, err
		}
		for k := range args {
			args[k].AppendCell(&cols[k], 0)
		}
		row := windowRow{at: i, all: rowKey(b, i)}
		cols = cols[nArgs:]
		for k := range c.Partition {
			row.part += string(zset.AppendKey(nil, &cols[k], 0))
		}
		cols = cols[len(c.Partition):]
		for k := range c.By {
			row.by = append(row.by, cellOf(&cols[k]))
		}
		cols = cols[len(c.By):]
		for k, to := range []*[]cell{&row.key, &row.start, &row.end} {
			if ends[k] != nil {
				*to, cols = []cell{cellOf(&cols[0])}, cols[1:]
			}
		}
		rows[i] = row
	}
	slices.SortStableFunc(rows, func(x, y windowRow) int {
		if d := bytes.Compare([]byte(x.part), []byte(y.part)); d != 0 {
			return d
		}
		if d := compareCells(c.By, x.by, y.by); d != 0 {
			return d
		}
		return bytes.Compare(x.all, y.all)
	})
	vals := make([]zset.Value, b.N)
	for from := 0; from < len(rows); {
		to := from
		for to < len(rows) && rows[to].part == rows[from].part {
			to++
		}
		p := &partRows{c: c, rows: rows[from:to], args: args}
		if err := p.each(vals); err != nil {
			return out, err
		}
		from = to
	}
	for _, v := range vals {
		out.AppendValue(v)
	}
	return out, nil
}

func cellOf(c *zset.Column) cell { return cell{c.IsNull(0), zset.AppendKey(nil, c, 0)} }

// each works out the value of every row.
func (p *partRows) each(vals []zset.Value) error {
	for i := range p.rows {
		if i > 0 {
			p.rows[i].group = p.rows[i-1].group
			if compareCells(p.c.By, p.rows[i-1].by, p.rows[i].by) != 0 {
				p.rows[i].group++
			}
		}
	}
	for i := range p.rows {
		v, err := p.value(i)
		if err != nil {
			return err
		}
		vals[p.rows[i].at] = v
	}
	return nil
}

// frame is the places of the rows in the frame of row i.
func (p *partRows) frame(i int) []int {
	f := &p.c.Frame
	var out []int
	for j := range p.rows {
		if p.beyond(&f.Start, p.rows[i].start, i, j) < 0 || p.beyond(&f.End, p.rows[i].end, i, j) > 0 {
			continue
		}
		peer := p.rows[i].group == p.rows[j].group
		switch {
		case f.Exclude == expr.ExcludeRow && i == j,
			f.Exclude == expr.ExcludeGroup && peer,
			f.Exclude == expr.ExcludeTies && peer && i != j:
			continue
		}
		out = append(out, j)
	}
	return out
}

// beyond compares row j with an end of the frame of row i: less than 0 before it.
func (p *partRows) beyond(e *expr.FrameEnd, at []cell, i, j int) int {
	n := e.N
	switch e.Kind {
	case expr.UnboundedPreceding:
		return 1
	case expr.UnboundedFollowing:
		return -1
	case expr.CurrentRow:
		n = 0
	case expr.Preceding:
		n = -n
	}
	x, y := p.rows[j].group, p.rows[i].group
	switch {
	case at != nil:
		return compareCells(p.c.By, p.rows[j].key, at)
	case p.c.Frame.Unit == expr.FrameRows:
		x, y = int64(j), int64(i)
	}
	switch d := x - y; { // places are small, n need not be
	case d < n:
		return -1
	case d > n:
		return 1
	}
	return 0
}

// arg is argument k in the row at place i.
func (p *partRows) arg(k, i int) zset.Value { return p.args[k].Value(p.rows[i].at) }

func (p *partRows) value(i int) (zset.Value, error) {
	c, n := p.c, int64(len(p.rows))
	first := func(group int64) int64 { // the place of the first row of a group
		return int64(slices.IndexFunc(p.rows, func(r windowRow) bool { return r.group == group }))
	}
	g := p.rows[i].group
	null := zset.NullOf(c.Typ)
	if c.Agg != nil {
		return p.aggregate(p.frame(i))
	}
	switch c.Name {
	case "row_number":
		return zset.IntValue(int64(i) + 1), nil
	case "rank":
		return zset.IntValue(first(g) + 1), nil
	case "dense_rank":
		return zset.IntValue(g + 1), nil
	case "percent_rank":
		if n == 1 {
			return zset.FloatValue(0), nil
		}
		return zset.FloatValue(float64(first(g)) / float64(n-1)), nil
	case "cume_dist":
		upto := first(g + 1)
		if upto < 0 {
			upto = n
		}
		return zset.FloatValue(float64(upto) / float64(n)), nil
	case "ntile":
		return p.ntile(i)
	case "lag", "lead":
		off := int64(1)
		if len(c.Args) > 1 {
			v := p.arg(1, i)
			if v.Null {
				return null, nil
			}
			off = v.I
		}
		if c.Name == "lag" {
			off = -off
		}
		switch at := int64(i) + off; {
		case at >= 0 && at < n:
			return p.arg(0, int(at)), nil
		case len(c.Args) > 2:
			return p.arg(2, i), nil
		}
		return null, nil
	}
	frame := p.frame(i)
	nth := 0
	switch {
	case c.Name == "last_value":
		nth = len(frame) - 1
	case c.Name == "nth_value":
		v := p.arg(1, i)
		switch {
		case v.Null:
			return null, nil
		case v.I <= 0:
			return null, zset.Errorf("22016", -1, "argument of nth_value must be greater than zero")
		}
		nth = int(v.I) - 1
	}
	if nth < 0 || nth >= len(frame) {
		return null, nil
	}
	return p.arg(0, frame[nth]), nil
}

// ntile deals the rows out: into n buckets, in order, the first ones a row larger.
// The number is that of the first row of the partition where it is not NULL; the
// rows before have none.
func (p *partRows) ntile(i int) (zset.Value, error) {
	start := 0
	for start < len(p.rows) && p.arg(0, start).Null {
		start++
	}
	if i < start {
		return zset.NullOf(zset.TInt4), nil
	}
	n := p.arg(0, start).I
	if n <= 0 {
		return zset.NullOf(zset.TInt4), zset.Errorf("22014", -1, "argument of ntile must be greater than zero")
	}
	size, larger := int64(len(p.rows))/n, int64(len(p.rows))%n
	k := int64(i - start)
	bucket := k / (size + 1)
	if bucket >= larger {
		bucket = larger + (k-larger*(size+1))/max(size, 1)
	}
	return zset.Value{Type: zset.TInt4, I: bucket + 1}, nil
}

// aggregate is the aggregate over the rows of a frame; a list has their order.
func (p *partRows) aggregate(frame []int) (zset.Value, error) {
	g := *p.c.Agg
	cols := make([]zset.Column, len(p.args))
	for k := range cols {
		cols[k] = zset.NewColumn(p.args[k].Type, len(frame))
		for _, i := range frame {
			cols[k].AppendCell(&p.args[k], p.rows[i].at)
		}
	}
	if g.Class() == expr.List {
		place := zset.NewColumn(zset.TInt8, len(frame))
		for i := range frame {
			place.AppendI64(int64(i))
		}
		g.By = []expr.AggKey{{Expr: expr.Col(0, zset.TInt8)}}
		cols = append(cols[:3:3], place)
	}
	return definition(g, cols, slices.Repeat([]int64{1}, len(frame)))
}
