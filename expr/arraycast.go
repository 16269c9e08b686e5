package expr

import (
	"github.com/ivmc/ivmc/zset"
)

// arrayCasts are the casts of arrays: to arrays of other elements, one by one, and
// to texts and from them.
func arrayCasts() []Func {
	rows := []Func{
		{Name: castName, Args: []zset.Kind{zset.Array}, Result: zset.Array, Strict: true, Raises: true, Costly: true,
			zonedFor: ofMoments, elementwise: true, row: castElements},
		{Name: assignName, Args: []zset.Kind{zset.Array}, Result: zset.Array, Strict: true, Raises: true, Costly: true,
			zonedFor: ofMoments, elementwise: true, row: castElements},
	}
	printed := func(f *frame, i int) {
		a := &f.args[0]
		f.out.Buf = zset.AppendTextIn(f.out.Buf, a.Column, i&a.mask, f.zone(1, i))
	}
	for _, k := range []zset.Kind{zset.Text, zset.Varchar, zset.Char} {
		rows = append(rows, Func{Name: castName, Args: []zset.Kind{zset.Array}, Result: k, Strict: true, Costly: true,
			zonedFor: ofMoments, row: castString(printed, true)})
		if k != zset.Text {
			rows = append(rows, Func{Name: assignName, Args: []zset.Kind{zset.Array}, Result: k, Strict: true, Raises: true, Costly: true,
				zonedFor: ofMoments, row: castString(printed, false)})
		}
	}
	for _, k := range []zset.Kind{zset.Text, zset.Varchar, zset.Char, zset.Unknown} {
		rows = append(rows, Func{Name: castName, Args: []zset.Kind{k}, Result: zset.Array, Strict: true, Raises: true, Costly: true,
			zonedFor: ofMoments, row: func(f *frame, i int) {
				v, err := zset.ParseTextIn(f.out.Type, string(f.b(0, i)), f.zone(1, i))
				if err != nil {
					f.failWith(i, positioned(err, -1))
					return
				}
				f.out.Buf = append(f.out.Buf, v.S...)
			}})
	}
	return rows
}

func castElements(f *frame, i int) {
	c := f.elements(0, i)
	out, err := f.each.run(c.Len(), c)
	if err != nil {
		f.failEach(i, err)
		return
	}
	f.putElements(out, 0, c.Len())
}
