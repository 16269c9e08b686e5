package storage

import "github.com/ivmc/ivmc/zset"

// Gather appends the cells of the rows at addrs, which exist, to out: column
// cols[i] (nil: all) to out[i]. Dead rows can be read too.
func (r *Relation) Gather(addrs []Addr, cols []int, out []zset.Column) {
	types := r.obj.Load().Schema.Types()
	if cols == nil {
		cols = make([]int, len(types))
		for i := range cols {
			cols[i] = i
		}
	}
	r.view.Load().gather(addrs, cols, types, out)
}

func (v *view) gather(addrs []Addr, cols []int, types []zset.Type, out []zset.Column) {
	for i, c := range cols {
		v.gatherColumn(addrs, c, types[c], &out[i])
	}
}

// gatherColumn looks the pages up once, so that the loop over addresses touches
// nothing but cells.
func (v *view) gatherColumn(addrs []Addr, c int, t zset.Type, out *zset.Column) {
	n := v.pages()
	nulls := false
	for i := range n {
		p := v.page(i)
		if c >= len(p.cols) {
			nulls = true
		} else if p.cols[c].Null != nil {
			nulls = true
		}
		if nulls {
			break
		}
	}
	if nulls || out.Null != nil {
		for _, a := range addrs {
			p := v.page(int(a >> pageBits))
			if c >= len(p.cols) {
				out.AppendNull()
				continue
			}
			out.AppendCell(&p.cols[c], int(a&pageMask))
		}
		return
	}
	switch t.Phys() {
	case zset.PhysI64:
		at := len(out.I64)
		out.I64 = append(out.I64, make([]int64, len(addrs))...)
		dst := out.I64[at:]
		for i, a := range addrs {
			dst[i] = v.page(int(a >> pageBits)).cols[c].I64[a&pageMask]
		}
	case zset.PhysF64:
		at := len(out.F64)
		out.F64 = append(out.F64, make([]float64, len(addrs))...)
		dst := out.F64[at:]
		for i, a := range addrs {
			dst[i] = v.page(int(a >> pageBits)).cols[c].F64[a&pageMask]
		}
	default:
		if len(out.Off) == 0 {
			out.Off = append(out.Off, 0)
		}
		for _, a := range addrs {
			src := &v.page(int(a >> pageBits)).cols[c]
			o := a & pageMask
			out.Buf = append(out.Buf, src.Buf[src.Off[o]:src.Off[o+1]]...)
			out.Off = append(out.Off, uint32(len(out.Buf)))
		}
	}
}
