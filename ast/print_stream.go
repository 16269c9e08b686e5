package ast

func (p *printer) createStream(s *CreateStream) {
	p.put("CREATE ")
	p.when(s.Replace, "OR REPLACE ")
	p.put("STREAM ")
	p.when(s.IfNotExists, "IF NOT EXISTS ")
	p.name(s.Name)
	p.put(" ON TABLE ")
	p.name(s.Table)
	if s.Comment != "" {
		p.put(" COMMENT ", QuoteString(s.Comment))
	}
	if len(s.Properties) > 0 {
		p.put(" PROPERTIES ")
		p.properties(s.Properties)
	}
}

// properties prints ("name" = "value", ..) as strings.
func (p *printer) properties(list []Property) {
	for i, x := range list {
		p.put([]string{"(", ", "}[min(i, 1)], QuoteString(x.Name), " = ", QuoteString(x.Value))
	}
	p.when(len(list) == 0, "(")
	p.put(")")
}

func (p *printer) reading(r *Reading) {
	switch r.Kind {
	case ReadTime:
		p.clause(" FOR TIME AS OF ", r.Target)
	case ReadVersion:
		p.clause(" FOR VERSION AS OF ", r.Target)
	default:
		p.put([...]string{ReadIncr: "@incr", ReadSnapshot: "@snapshot", ReadReset: "@reset", ReadCall: ""}[r.Kind])
		p.properties(r.Params)
	}
}
