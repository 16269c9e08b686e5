package ast

import "github.com/ivmc/ivmc/grammar/gen"

func (b *builder) copy(n gen.ICopyContext) Statement {
	file := symbol(n.STRING())
	st := &Copy{At: at(n), To: n.TO() != nil, File: file.value, FileAt: At{file.pos}}
	if q := n.Query(); q != nil {
		st.Query = b.query(q)
	} else {
		st.Schema, st.Table = b.qualified(n.Qualified())
		st.Columns = names(n.NameList())
	}
	if n.CopyOptions() == nil {
		return st
	}
	for _, x := range n.CopyOptions().AllCopyOption() {
		o := CopyOption{At: at(x), Name: first(x).value}
		if v := x.OptionValue(); v != nil {
			o.Value, o.Given = first(v).value, true
		}
		st.Options = append(st.Options, o)
	}
	return st
}
