package ast

import (
	"strconv"
	"strings"

	"github.com/ivmc/ivmc/grammar/gen"
)

func (b *builder) refreshClause(n gen.IRefreshClauseContext) (RefreshMode, *Trigger) {
	if n == nil {
		return ModeDefault, nil
	}
	mode := b.refreshMode(n.RefreshMode())
	if n.Trigger() == nil {
		return mode, nil
	}
	return mode, b.trigger(n.Trigger())
}

func (b *builder) trigger(n gen.ITriggerContext) *Trigger {
	st := &Trigger{At: at(n)}
	words := n.AllIDENT()
	switch {
	case n.COMMIT() != nil:
		st.Kind = TriggerCommit
		if len(words) > 0 {
			w := symbol(words[0])
			if st.Async = w.value == "async"; !st.Async {
				b.word(w, "sync")
			}
		}
		return st
	case n.WITH() != nil:
		b.word(symbol(words[0]), "lag")
		st.Kind, st.Text = TriggerLag, quotedName(symbol(n.STRING()))
		return st
	case len(words) == 1:
		b.word(symbol(words[0]), "manual")
		return st
	}
	b.word(symbol(words[0]), "schedule")
	if n.STRING() != nil {
		b.word(symbol(words[1]), "cron")
		st.Kind, st.Text = TriggerCron, quotedName(symbol(n.STRING()))
		if z := n.AtZone(); z != nil {
			st.Zone = quotedName(symbol(z.STRING()))
		}
		return st
	}
	b.word(symbol(words[1]), "every")
	st.Kind = TriggerEvery
	count := symbol(n.NUMBER())
	v, err := strconv.ParseInt(count.value, 10, 64)
	if err != nil {
		b.unexpected(count)
	}
	st.N, st.Unit = v, strings.TrimSuffix(first(n.Word()).value, "s")
	if s := n.Starts(); s != nil {
		b.word(symbol(s.IDENT()), "starts")
		st.Text = quotedName(symbol(s.STRING()))
	}
	return st
}

func quotedName(t *token) Name { return Name{At{t.pos}, t.value} }

func (b *builder) distributed(n gen.IDistributedContext) *Distribution {
	words := n.AllIDENT()
	st := &Distribution{At: at(n)}
	if n.NameList() != nil {
		b.word(symbol(words[0]), "hash")
		st.Columns = names(n.NameList())
	} else {
		b.word(symbol(words[0]), "random")
	}
	if len(words) > 1 {
		b.word(symbol(words[1]), "buckets")
		if st.Buckets = "auto"; n.NUMBER() != nil {
			st.Buckets = symbol(n.NUMBER()).value
		}
	}
	return st
}

func (b *builder) alterView(table Name, ifExists bool, n gen.IAlterViewContext) Statement {
	st := &AlterView{At: at(n), View: table, IfExists: ifExists}
	switch {
	case n.RefreshClause() != nil:
		st.Mode, st.Trigger = b.refreshClause(n.RefreshClause())
	case n.REPLACE() != nil:
		st.With = b.target(n.Qualified())
		if p := n.Properties(); p != nil {
			st.Properties = properties(p.AllProperty())
		}
	default:
		st.Properties = properties(n.AllProperty())
	}
	return st
}

func (b *builder) job(n gen.IJobContext) Statement {
	st := &Job{At: at(n), View: b.target(n.Qualified())}
	want := "job"
	switch {
	case n.RESUME() != nil:
		st.Action = ResumeJob
	case n.CANCEL() != nil:
		st.Action, st.Task, want = CancelTask, quotedName(symbol(n.NUMBER())), "task"
	}
	b.word(symbol(n.IDENT()), want)
	return st
}
