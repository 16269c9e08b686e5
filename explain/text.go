package explain

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// text is the report for a reader of so many columns.
func (r *Report) text() string {
	p := &page{width: r.width}
	p.head(r)
	p.line("")
	p.par("", "", r.heading())
	p.tree(r.Plan, "", "")
	p.tail(r)
	return p.b.String()
}

// head is what comes before the plan: what, whether, why not, at which cost.
func (p *page) head(r *Report) {
	p.par("", "  ", r.title())
	p.par("", "", r.Summary)
	if r.Frontier != "" {
		p.par("", "", "Frontier: "+r.Frontier)
	}
	for _, n := range r.Notices {
		p.par("Notice: ", "        ", n)
	}
	p.decision(r)
	p.blockers(r)
	p.sources(r)
}

// decision says how the refresh goes, and what both ways were expected to take.
func (p *page) decision(r *Report) {
	d := r.Decision
	if d == nil {
		return
	}
	l := "This refresh: " + d.Planned
	if d.Requested != d.Planned {
		l += " (requested " + d.Requested + ")"
	}
	if d.Reason != "" {
		l += ", for " + d.Reason
	}
	if p.par("", "  ", l+"."); d.Tried {
		p.par("  ", "  ", "It is tried, though it seems to take longer: it was not measured lately at so many changes.")
	}
	switch {
	case d.Complete == nil && d.Pending == 0:
	case d.Incremental == nil:
		p.par("  ", "  ", fmt.Sprintf("%s: about %.3f ms by COMPLETE.", d.pending(r.done), *d.Complete))
	default:
		p.par("  ", "  ", fmt.Sprintf("%s: about %.3f ms by INCREMENTAL, %.3f ms by COMPLETE.", d.pending(r.done), *d.Incremental, *d.Complete))
	}
}

// pending tells what there is, or was before a refresh that is done.
func (d *Decision) pending(done bool) string {
	verb := map[bool]string{false: "are", true: "were"}[done]
	if d.Pending == 1 {
		verb = map[bool]string{false: "is", true: "was"}[done]
	}
	return fmt.Sprintf("%s %s pending, in sources of %s", counted(d.Pending, "change"), verb, counted(d.Rows, "row"))
}

// counted is so many of something.
func counted(n int64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// tail is what comes behind it.
func (p *page) tail(r *Report) {
	p.arrangements(r)
	p.run(r)
	if r.plan != nil {
		p.legend(r)
	}
}

// page is text that is written line by line.
type page struct {
	b     strings.Builder
	width int // columns of a line at most
}

func (p *page) line(s string) { p.b.WriteString(strings.TrimRight(s, " ") + "\n") }

// par writes a paragraph: first before its first line, rest before the others.
func (p *page) par(first, rest, text string) {
	for i, l := range wrapped(text, p.width-max(utf8.RuneCountInString(first), utf8.RuneCountInString(rest))) {
		if i == 0 {
			p.line(first + l)
			continue
		}
		p.line(rest + l)
	}
}

func (r *Report) heading() string {
	switch {
	case r.plan == nil && r.Stage == StageNormalized:
		return "The query, rewritten (each line reads the lines under it):"
	case r.plan == nil:
		return "The query as it was written (each line reads the lines under it):"
	case !r.plan.FromEmpty:
		return "Delta plan: from the changes of the sources, below, to the changes of the view, above."
	case r.Incremental != nil && !*r.Incremental && r.Stage == StageDelta:
		return "Full plan, which runs instead: from the sources, below, to all rows of the view, above."
	}
	return "Full plan: from the sources, below, to the result, above."
}

// blockers lists every reason with its place and what to write instead.
func (p *page) blockers(r *Report) {
	if len(r.Blockers) == 0 {
		return
	}
	p.line("")
	p.line("Why not, and what to do:")
	for i, b := range r.Blockers {
		p.line("")
		at := ""
		if b.Line > 0 {
			at = fmt.Sprintf(", line %d, column %d", b.Line, b.Column)
		}
		p.par(fmt.Sprintf("%2d. ", i+1), "    ", b.Object+at+" ("+b.Code+")")
		for _, l := range b.caret(p.width - 8) {
			p.line("        " + l)
		}
		p.par("    Why: ", "         ", sentence(b.Reason))
		if b.Rewrite != "" {
			p.par("    Do:  ", "         ", sentence(b.Rewrite))
		}
		if b.Permanent {
			p.par("    ", "    ", "This stays so until the definition is changed.")
		}
	}
}

// sentence begins with a capital and ends with a full stop.
func sentence(s string) string {
	c, n := utf8.DecodeRuneInString(s)
	return strings.ToUpper(string(c)) + s[n:] + "."
}

// sources are the tables of what is read: how its changes are followed, and what
// was measured of it.
func (p *page) sources(r *Report) {
	grades, sizes := [][]string{{"Source", "inserts", "updates and deletes"}}, [][]string{{"Source", "rows", "memory"}}
	var where, still []string
	for _, s := range r.Sources {
		if s.Inserts != nil {
			grades = append(grades, []string{s.Relation, s.Inserts.Grade + ", " + s.Inserts.Cost.Order, s.Changes.Grade + ", " + s.Changes.Cost.Order})
			for _, t := range slices.Concat(s.Inserts.Cost.Where, s.Changes.Cost.Where) {
				if l := t.Letter + ": " + t.Counts; !slices.Contains(where, l) {
					where = append(where, l)
				}
			}
		}
		if s.Size == nil {
			continue
		}
		if r.pending && s.Size.Pending != nil && *s.Size.Pending == 0 {
			still = append(still, s.Relation)
			continue
		}
		row := []string{s.Relation, fmt.Sprint(s.Size.Rows), bytesText(s.Size.Bytes)}
		if s.Size.Pending != nil {
			row = append(row, fmt.Sprint(*s.Size.Pending))
			if len(sizes[0]) == 3 {
				since := "rows changed since the view was refreshed"
				if r.done {
					since = "rows changed since this refresh"
				}
				sizes[0] = append(sizes[0], since)
			}
		}
		sizes = append(sizes, row)
	}
	if len(grades) > 1 {
		p.line("")
		p.table(grades)
		p.par("  ", "  ", strings.Join(where, "; "))
	}
	if len(sizes) > 1 {
		p.line("")
		p.table(sizes)
	}
	if len(still) > 0 {
		p.par("  ", "  ", "Nothing is pending in "+strings.Join(still, ", ")+": WITH ALL STREAMS lists that too.")
	}
}

// deepest is how many columns the guides of a tree may take.
func (p *page) deepest() int { return p.width * 3 / 5 }

// tree draws o and its inputs: a single one right below, several with guides.
// Operators that only drop or move columns are left out where nothing was measured.
func (p *page) tree(o *Operator, first, rest string) {
	for {
		o = o.shown()
		p.operator(o, first, rest)
		if len(o.Inputs) != 1 {
			break
		}
		o, first = o.Inputs[0], rest
	}
	if len(o.Inputs) > 0 && utf8.RuneCountInString(rest) > p.deepest() {
		n := -1
		o.walk(func(*Operator) { n++ })
		p.line(fmt.Sprintf("%s└─ .. %d more operators: see FORMAT json", rest, n))
		return
	}
	for i, in := range o.Inputs {
		if i < len(o.Inputs)-1 {
			p.tree(in, rest+"├─ ", rest+"│  ")
			continue
		}
		p.tree(in, rest+"└─ ", rest+"   ")
	}
}

// shown is o, or the first operator below it that does more than move columns.
func (o *Operator) shown() *Operator {
	for o.plain && o.Measured == nil && len(o.Inputs) == 1 && o.ID > 1 {
		o = o.Inputs[0]
	}
	return o
}

// operator writes one operator with its notes.
func (p *page) operator(o *Operator, first, rest string) {
	label := ""
	if o.Class != "" {
		label = "[" + o.Class + "] "
	}
	below := rest + "    "
	if len(o.Inputs) > 0 {
		below = rest + "│   "
	}
	p.par(first+label, below, o.Text)
	for _, l := range o.notes() {
		p.par(below, below+"  ", l)
	}
}

// notes are the lines below an operator.
func (o *Operator) notes() (out []string) {
	if o.Cost != nil {
		l := "cost " + o.Cost.Order
		for _, t := range o.Cost.Where {
			if t.Letter == "m" && o.Class != "" {
				l += " with m " + t.Counts
			}
		}
		switch o.Identity.By {
		case "columns":
			l += "; identity " + strings.Join(o.Identity.Columns, ", ")
		default:
			l += "; identity " + o.Identity.By
		}
		out = append(out, l)
	}
	if r := o.Reads; r != nil && r.How != "changes" && r.How != "scan" && r.Relation != "" && len(r.Columns) > 0 && o.Op != "find" {
		out = append(out, "reads "+strings.Join(r.Columns, ", "))
	}
	for _, k := range o.Keeps {
		l := fmt.Sprintf("keeps state %d: %s", k.State, k.What)
		if k.Size != nil {
			l += fmt.Sprintf(" (%s on disk)", bytesText(k.Size.Bytes))
		}
		out = append(out, l)
	}
	if m := o.Measured; m != nil {
		l := fmt.Sprintf("measured: %s out, %.3f ms", counted(m.RowsOut, "row"), m.Millis)
		if len(o.Inputs) > 0 {
			l = fmt.Sprintf("measured: %s in, %s out, %.3f ms", counted(m.RowsIn, "row"), counted(m.RowsOut, "row"), m.Millis)
		}
		if m.Lookups != nil {
			l += fmt.Sprintf(", %s", counted(*m.Lookups, "look-up"))
		}
		out = append(out, l)
	}
	return out
}

func (p *page) arrangements(r *Report) {
	if len(r.Arrangements) == 0 {
		return
	}
	p.line("")
	p.line("Arrangements (indexes in memory, shared by all views):")
	for _, a := range r.Arrangements {
		l := a.Name
		if a.Size != nil {
			l += fmt.Sprintf(": %d keys, %s", a.Size.Rows, bytesText(a.Size.Bytes))
		}
		p.par("  ", "    ", l)
	}
}

func (p *page) run(r *Report) {
	if r.Run == nil {
		return
	}
	p.line("")
	run := r.Run
	if run.Executed != "" {
		p.par("", "  ", fmt.Sprintf("Executed: %s (requested %s)", run.Executed, run.Requested))
		if run.Reason != "" {
			p.par("", "  ", "Reason: "+run.Reason+" "+run.Detail)
		}
		if run.NoOp {
			p.line("Nothing had changed: no commit was made.")
		}
		p.line(fmt.Sprintf("Rows in: %d, rows out: %d", run.RowsIn, run.RowsOut))
	} else {
		p.line(fmt.Sprintf("Rows: %d", run.RowsOut))
	}
	p.line(fmt.Sprintf("Execution time: %.3f ms", run.Millis))
	if outside := run.outside(); run.Loaded && outside > loadingNoticed {
		p.par("  ", "  ", fmt.Sprintf("%.3f ms of it outside of the operators: what was not in memory was loaded, which a process does once.", outside))
	}
}

// loadingNoticed is how many milliseconds outside of the operators are worth a line.
const loadingNoticed = 2

// outside is the milliseconds that no operator took.
func (r *Run) outside() float64 {
	ms := r.Millis
	for _, op := range r.Operators {
		ms -= op.Millis
	}
	return ms
}

// bytesText is a size for people.
func bytesText(n int64) string {
	switch {
	case n < 10_000:
		return fmt.Sprintf("%d bytes", n)
	case n < 10_000_000:
		return fmt.Sprintf("%d kB", n/1000)
	}
	return fmt.Sprintf("%d MB", n/1_000_000)
}
