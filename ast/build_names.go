package ast

import "github.com/ivmc/ivmc/grammar/gen"

// publicSchema is the schema of all tables and views.
const publicSchema = "public"

// qualified reads the name of a table with that of its schema, or Text "".
func (b *builder) qualified(n gen.IQualifiedContext) (schema, table Name) {
	labels := n.AllAnyLabel()
	switch len(labels) {
	case 0:
		return Name{}, name(n.Name())
	case 1:
		return name(n.Name()), name(labels[0])
	}
	whole := QuoteIdent(first(n).value)
	for _, l := range labels {
		whole += "." + QuoteIdent(first(l).value)
	}
	b.fail(codeUnsupported, first(n).pos, "cross-database references are not implemented: \""+whole+"\"")
	return Name{}, name(n.Name())
}

// target reads the name of a table or view that a statement changes. Those are
// all in the schema public, so the tree need not say it.
func (b *builder) target(n gen.IQualifiedContext) Name {
	schema, table := b.qualified(n)
	if schema.Text != "" && schema.Text != publicSchema {
		b.fail(codeNoTable, schema.Start, "relation \""+schema.Text+"."+table.Text+"\" does not exist or cannot be changed").Hint =
			"All tables and views are in the schema public."
	}
	return table
}

func (b *builder) targets(ns []gen.IQualifiedContext) []Name {
	var out []Name
	for _, n := range ns {
		out = append(out, b.target(n))
	}
	return out
}

// created is [builder.target] for a name that is made.
func (b *builder) created(n gen.IQualifiedContext) Name {
	schema, table := b.qualified(n)
	if schema.Text != "" && schema.Text != publicSchema {
		b.fail(codeNoSchema, schema.Start, "schema \""+schema.Text+"\" does not exist").Hint =
			"All tables and views are in the schema public."
	}
	return table
}
