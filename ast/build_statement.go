package ast

import (
	"strconv"
	"strings"

	"github.com/ivmc/ivmc/grammar/gen"
)

func (b *builder) statement(n gen.IStatementContext) Statement {
	with := b.with(n.With())
	switch c := n.GetChild(n.GetChildCount() - 1).(type) {
	case gen.IBareQueryContext:
		return b.bareQuery(at(n), with, c)
	case gen.IInsertContext:
		return b.insert(at(n), with, c)
	case gen.IUpdateContext:
		return b.update(at(n), with, c)
	case gen.IDeleteContext:
		return b.delete(at(n), with, c)
	case gen.ICreateTableContext:
		return b.createTable(c)
	case gen.ICreateMaterializedViewContext:
		return b.createMaterializedView(c)
	case gen.ICreateViewContext:
		return b.createView(c)
	case gen.ICreateIndexContext:
		return b.createIndex(c)
	case gen.IDropContext:
		return b.drop(c)
	case gen.IAlterContext:
		return b.alter(c)
	case gen.ICreateStreamContext:
		return b.createStream(c)
	case gen.IDropStreamContext:
		return b.dropStream(c)
	case gen.IAlterStreamContext:
		return b.alterStream(c)
	case gen.ITruncateContext:
		return b.truncate(c)
	case gen.ICommentContext:
		return b.comment(c)
	case gen.IRefreshContext:
		return b.refresh(c)
	case gen.IJobContext:
		return b.job(c)
	case gen.IVerifyContext:
		return &Verify{At: at(c), View: b.target(c.Qualified())}
	case gen.ICopyContext:
		return b.copy(c)
	case gen.IExplainContext:
		return b.explain(c)
	case gen.ISetContext:
		return b.set(c)
	case gen.IShowContext:
		return b.show(c)
	case gen.IDescribeContext:
		schema, name := b.qualified(c.Qualified())
		return &ShowColumns{At: at(c), Schema: schema, Name: name}
	case gen.IBeginContext:
		return &Begin{at(c)}
	case gen.ICommitContext:
		return &Commit{at(c)}
	case gen.ISavepointContext:
		return &Savepoint{at(c), name(c.Name())}
	case gen.IReleaseContext:
		return &Release{at(c), name(c.Name())}
	case gen.IRollbackContext:
		if c.Name() != nil {
			return &RollbackTo{at(c), name(c.Name())}
		}
	}
	return &Rollback{at(n)}
}

func (b *builder) createMaterializedView(n gen.ICreateMaterializedViewContext) Statement {
	st := &CreateMaterializedView{At: at(n), Name: b.created(n.Qualified()), OrReplace: n.OrReplace() != nil,
		IfNotExists: n.IfNotExists() != nil}
	if c := n.ViewColumns(); c != nil {
		st.Columns, st.Comments = viewColumns(c)
	}
	if st.OrReplace && st.IfNotExists {
		b.unexpected(first(n.IfNotExists()))
	}
	if c := n.Build(); c != nil {
		st.Deferred = c.DEFERRED() != nil
	}
	if c := n.RefreshClause(); c != nil {
		st.Mode, st.Trigger = b.refreshClause(c)
	}
	if k := n.ViewKey(); k != nil {
		st.Key = names(k.NameList())
	}
	if n.COMMENT() != nil {
		st.Comment = symbol(n.STRING()).value
	}
	if p := n.Partitioned(); p != nil {
		b.unsupported(first(p), "PARTITION BY of a materialized view", partitionsHint)
	}
	if d := n.Distributed(); d != nil {
		st.Distributed = b.distributed(d)
	}
	if p := n.Properties(); p != nil {
		st.Properties = properties(p.AllProperty())
	}
	st.Query, st.QueryText = b.definition(n.Query())
	if w := n.WithData(); w != nil && w.NO() != nil {
		st.Deferred = true
	}
	return st
}

func viewColumns(n gen.IViewColumnsContext) (cols []Name, comments []string) {
	all := n.AllViewColumn()
	for i, c := range all {
		cols = append(cols, name(c.Name()))
		if c.STRING() == nil || symbol(c.STRING()).value == "" {
			continue
		}
		if comments == nil {
			comments = make([]string, len(all))
		}
		comments[i] = symbol(c.STRING()).value
	}
	return cols, comments
}

func (b *builder) createView(n gen.ICreateViewContext) Statement {
	st := &CreateView{At: at(n), Name: b.created(n.Qualified()), OrReplace: n.OrReplace() != nil, Columns: names(n.NameList())}
	st.Query, st.QueryText = b.definition(n.Query())
	return st
}

// definition is a query and its text.
func (b *builder) definition(n gen.IQueryContext) (*Query, string) {
	return b.query(n), b.src[first(n).start:b.written(last(n))]
}

// written is the byte where a token ends in the text; of a run of constants,
// whose token is its first word, where the last word before the next token does.
func (b *builder) written(t *token) int {
	if t.plain == nil {
		return t.end
	}
	return t.plain.end
}

func (b *builder) refreshMode(n gen.IRefreshModeContext) RefreshMode {
	switch {
	case n == nil:
		return ModeDefault
	case n.COMPLETE() != nil:
		return ModeComplete
	case n.AUTO() != nil:
		return ModeAuto
	case n.INCREMENTAL() == nil:
		w := symbol(n.IDENT(0))
		if b.word(w, "partitions"); w.value == "partitions" {
			b.unsupported(w, "REFRESH PARTITIONS", partitionsHint)
		}
		return ModeAuto
	case n.IDENT(0) != nil:
		b.word(symbol(n.IDENT(0)), "fallback")
		return ModeFallback
	}
	return ModeIncremental
}

// partitionsHint is what stands in for partitions of views.
const partitionsHint = "Views have no partitions: INCREMENTAL works on the rows that changed, wherever they are."

func (b *builder) refresh(n gen.IRefreshContext) Statement {
	st := &Refresh{At: at(n), View: b.target(n.Qualified()), Mode: b.refreshMode(n.RefreshMode()), Cascade: n.CASCADE() != nil}
	if s := n.AllStreams(); s != nil {
		b.word(symbol(s.IDENT()), "streams")
		st.AllStreams = &At{first(s).pos}
		if st.Mode != ModeIncremental {
			e := b.fail(codeSyntax, first(s).pos, "WITH ALL STREAMS is of EXPLAIN REFRESH .. INCREMENTAL")
			e.Hint = "Write EXPLAIN REFRESH MATERIALIZED VIEW .. INCREMENTAL WITH ALL STREAMS."
		}
	}
	if d := n.DryRun(); d != nil {
		st.DryRun = b.dryRun(d, st.Mode)
	}
	return st
}

// dryRun is WITH DRY RUN [LIMIT n [OFFSET m]]; LIMIT m, n is OFFSET m LIMIT n.
func (b *builder) dryRun(n gen.IDryRunContext, mode RefreshMode) *DryRun {
	b.word(symbol(n.IDENT(0)), "dry")
	b.word(symbol(n.IDENT(1)), "run")
	if mode != ModeIncremental {
		b.fail(codeSyntax, first(n).pos, "WITH DRY RUN is of an INCREMENTAL refresh").Hint = "Write REFRESH MATERIALIZED VIEW .. INCREMENTAL WITH DRY RUN."
	}
	st := &DryRun{At: at(n), Limit: -1}
	var counts []int64
	for _, t := range n.AllNUMBER() {
		tok := symbol(t)
		c, err := strconv.ParseInt(tok.value, 10, 64)
		if err != nil {
			b.unexpected(tok)
		}
		counts = append(counts, c)
	}
	switch {
	case len(counts) == 0:
	case n.COMMA() != nil:
		st.Offset, st.Limit = counts[0], counts[1]
	default:
		st.Limit = counts[0]
		if len(counts) > 1 {
			st.Offset = counts[1]
		}
	}
	return st
}

func (b *builder) explain(n gen.IExplainContext) Statement {
	st := &Explain{At: at(n)}
	for _, x := range n.AllExplainOption() {
		st.Options = append(st.Options, ExplainOption{At: at(x), Name: first(x).value, Value: optionValue(x.OptionValue())})
	}
	for _, x := range n.AllExplainWord() {
		st.Options = append(st.Options, ExplainOption{At: at(x), Name: first(x).value, Value: optionValue(x.OptionValue())})
	}
	switch c := n.Explained().GetChild(0).(type) {
	case gen.IQueryContext:
		st.Stmt = b.query(c)
	case gen.ICreateMaterializedViewContext:
		st.Stmt = b.createMaterializedView(c)
	case gen.IRefreshContext:
		st.Stmt = b.refresh(c)
	}
	return st
}

func optionValue(n gen.IOptionValueContext) string {
	if n == nil {
		return ""
	}
	return strings.ToLower(first(n).value)
}

func (b *builder) set(n gen.ISetContext) Statement {
	st := &Set{At: at(n)}
	zone := n.SettingName() == nil
	if zone {
		st.Name = Name{At{symbol(n.TIME()).pos}, "time_zone"}
	} else {
		st.Name = settingName(n.SettingName())
	}
	switch {
	case n.DEFAULT() != nil || zone && n.LOCAL() != nil:
		st.Default = true
	case n.LOCAL() != nil:
		st.Value = "local"
	default:
		v := n.SettingValue()
		if v.MINUS() != nil {
			st.Value = "-"
		}
		st.Value += last(v).value
	}
	return st
}

// settingName joins a name with dots.
func settingName(n gen.ISettingNameContext) Name {
	var parts []string
	for _, x := range n.AllName() {
		parts = append(parts, first(x).value)
	}
	return Name{at(n), strings.Join(parts, ".")}
}
