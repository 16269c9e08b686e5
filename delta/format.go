package delta

import (
	"fmt"
	"strings"
)

// String is the plan for tests and logs: one operator a line, its inputs
// indented below. What people read is made of [Plan.Describe].
func (p *Plan) String() string {
	var b strings.Builder
	b.WriteString(p.Kind() + "\n")
	writeText(&b, p.Describe(), "")
	return b.String()
}

// Kind is "full plan" or "delta plan".
func (p *Plan) Kind() string {
	if p.FromEmpty {
		return "full plan"
	}
	return "delta plan"
}

func writeText(b *strings.Builder, d *Description, indent string) {
	b.WriteString(indent)
	if d.Class != "" {
		fmt.Fprintf(b, "[%s] ", d.Class)
	}
	b.WriteString(d.Text)
	if r := d.Reads; r != nil && d.Op == OpLookup && len(r.Columns) > 0 && r.Relation != "" {
		b.WriteString(", reads " + list(r.Columns))
	}
	for _, k := range d.Keeps {
		fmt.Fprintf(b, "  {state %d: %s}", k.State, k.What)
	}
	switch {
	case d.OneRow:
		b.WriteString("  (one row)")
	case len(d.Identity) > 0:
		fmt.Fprintf(b, "  (%s)", list(d.Identity))
	}
	fmt.Fprintf(b, "  -- %s\n", d.Cost.Order)
	for _, in := range d.Inputs {
		writeText(b, in, indent+"  ")
	}
}
