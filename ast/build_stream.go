package ast

import "github.com/ivmc/ivmc/grammar/gen"

// readings is what may stand behind an @.
var readings = map[string]ReadingKind{"incr": ReadIncr, "snapshot": ReadSnapshot, "reset": ReadReset}

// reading is nil for none, and after a complaint.
func (b *builder) reading(n gen.IReadingContext) *Reading {
	if n == nil {
		return nil
	}
	r := &Reading{At: at(n)}
	if n.Expr() != nil {
		r.Kind = ReadTime
		if n.VERSION() != nil {
			r.Kind = ReadVersion
		}
		r.Target = b.expr(n.Expr())
		return r
	}
	b.word(symbol(n.OTHER_OPERATOR()), "@")
	kind, ok := readings[first(n.Name()).value]
	if !ok {
		b.fail(codeSyntax, name(n.Name()).Start, "Invalid param type: "+first(n.Name()).value).Hint =
			"Behind @ stands incr, snapshot or reset."
		return nil
	}
	r.Kind, r.Params = kind, properties(n.AllProperty())
	return r
}

func (b *builder) createStream(n gen.ICreateStreamContext) Statement {
	st := &CreateStream{At: at(n), Name: b.created(n.Qualified(0)), Replace: n.OrReplace() != nil,
		IfNotExists: n.IfNotExists() != nil, Table: b.target(n.Qualified(1))}
	if n.COMMENT() != nil {
		st.Comment = symbol(n.STRING()).value
	}
	if p := n.Properties(); p != nil {
		st.Properties = properties(p.AllProperty())
	}
	return st
}

func (b *builder) dropStream(n gen.IDropStreamContext) Statement {
	st := &DropStream{At: at(n), Name: b.target(n.Qualified()), IfExists: n.IfExists() != nil}
	if w := n.Word(); w != nil {
		st.Force = true
		b.word(first(w), "force")
	}
	return st
}

func (b *builder) alterStream(n gen.IAlterStreamContext) Statement {
	if w := n.Word(); w != nil {
		b.word(first(w), "modify")
	}
	return &AlterStream{At: at(n), Name: b.target(n.Qualified()), Comment: symbol(n.STRING()).value}
}

func (b *builder) showStreams(n gen.IShowContext) Statement {
	st := &ShowStreams{At: at(n)}
	if n.Qualified() != nil {
		st.Database = b.target(n.Qualified())
	}
	if s := n.STRING(); s != nil {
		like := symbol(s).value
		st.Like = &like
	}
	if w := n.Where(); w != nil {
		st.Where = b.expr(w.Expr())
	}
	return st
}
