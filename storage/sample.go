package storage

import "github.com/ivmc/ivmc/zset"

// SampleChanges is columns cols of n of the rows that were born or died in (lo, hi], or of
// all if there are fewer: picked evenly over the order of the commits, the same each
// time. Nil: there are none, or they are not known any more.
func (r *Relation) SampleChanges(lo, hi TSO, cols []int, n int) *zset.Batch {
	types := r.obj.Load().Schema.Types() // before the view, which has the fills of all of them then
	v := r.view.Load()
	if hi <= lo || lo < v.horizon {
		return nil
	}
	born, died := v.rowsUpTo(lo), v.deathsUpTo(lo)
	births, all := v.rowsUpTo(hi)-born, v.rowsUpTo(hi)-born+v.deathsUpTo(hi)-died
	picked := min(uint64(n), all)
	if picked == 0 {
		return nil
	}
	addrs := make([]Addr, picked)
	for i := range addrs {
		from, to := uint64(i)*all/picked, uint64(i+1)*all/picked
		at := from + uint64(i)*0x9e3779b97f4a7c15>>32%(to-from) // not in step with a pattern of the rows
		if at < births {
			addrs[i] = Addr(born + at)
		} else {
			addrs[i] = v.deaths.at(int(died + at - births))
		}
	}
	b := &zset.Batch{N: len(addrs)}
	for _, c := range cols {
		b.Cols = append(b.Cols, zset.NewColumn(types[c], len(addrs)))
	}
	v.gather(addrs, cols, types, b.Cols)
	return b
}
