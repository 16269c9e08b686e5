package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ivmc/ivmc"
	"github.com/ivmc/ivmc/serve"
)

func (a *app) explainCommand() *cobra.Command {
	var x explainer
	c := &cobra.Command{
		Use:   "explain [FILE | -]",
		Short: "say whether a view is incremental, why, and how it is kept up to date",
		Long: `Explain the queries, and the CREATE and REFRESH MATERIALIZED VIEW statements, of -c,
of FILE, or of standard input: whether each is incremental, at which cost it follows the
changes of each table, what stands in the way and what to write instead, and the plan.

No database is needed: CREATE TABLE and CREATE VIEW may stand in the same text, or in the
file of --schema. Without a text, every materialized view of the schema is explained. With
--db, sizes are shown, every view is explained where there is no text, and nothing is changed, but by
--analyze of a REFRESH.`,
		Example: `  ivmc explain --schema schema.sql -c "SELECT city, count(*) FROM sale GROUP BY city"
  ivmc explain views.sql
  ivmc explain --schema schema.sql --format svg -c "SELECT .." > plan.svg
  ivmc explain --db data -c "REFRESH MATERIALIZED VIEW by_state"
  ivmc explain --db data --stage full --analyze -c "SELECT * FROM by_state WHERE flights > 3"`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if x.schema != "" && cmd.Flags().Changed("db") {
				return &exit{exitUsage, errors.New("give --schema or --db, not both")}
			}
			if err := x.opts.Validate(); err != nil {
				return &exit{exitUsage, err}
			}
			if x.opts.Analyze && !cmd.Flags().Changed("stage") {
				x.opts.Stage = "" // what runs
			}
			return a.explain(cmd.Context(), &x, args)
		},
	}
	c.Flags().StringVar(&x.schema, "schema", "", "file of CREATE TABLE, CREATE VIEW and CREATE MATERIALIZED VIEW statements; no database is read")
	c.Flags().StringArrayVarP(&x.commands, "command", "c", nil, "the statements to explain; several one after another")
	c.Flags().StringVar(&x.opts.Stage, "stage", "delta", "algebra (as written), normalized (rewritten), delta (how changes are followed), full (how it is computed anew) or all")
	c.Flags().StringVar(&x.opts.Format, "format", "text", choice(planFormats()))
	c.Flags().BoolVar(&x.opts.Analyze, "analyze", false, "run the query or the refresh, and show what every operator did")
	return c
}

// explainer is one run of the command.
type explainer struct {
	schema   string
	commands []string
	opts     ivmc.ExplainOptions
	bare     bool // no database: definitions run in memory
	shown    int
	drawn    string // the picture, where there can be one alone
	failed   bool
}

func (a *app) explain(ctx context.Context, x *explainer, args []string) (err error) {
	x.bare = x.schema != "" || a.memory || a.db == ""
	db, err := a.rehearsal(x.bare)
	if err != nil {
		return err
	}
	defer closeDB(db, &err)
	s, err := db.Session(ctx)
	if err != nil {
		return failed(err)
	}
	defer s.Close()
	out := bufio.NewWriter(a.out)
	defer func() {
		if ferr := out.Flush(); err == nil && ferr != nil {
			err = &exit{exitFailed, fmt.Errorf("write: %w", ferr)}
		}
	}()
	fitExplain(ctx, s, columnsOf(a.out), 0)
	asked := x.commands != nil || len(args) > 0 || x.bare && x.schema == "" && !terminal(a.in)
	if x.schema != "" {
		f, err := os.Open(x.schema)
		if err != nil {
			return &exit{exitUsage, err}
		}
		in, src, err := record(f, x.schema)
		if err != nil {
			return err
		}
		if err := a.explainAll(ctx, s, x, in, src, out, !asked); err != nil {
			return err
		}
	}
	switch {
	case asked:
		in, src, err := a.script(x.commands, args)
		if err != nil {
			return err
		}
		if err := a.explainAll(ctx, s, x, in, src, out, true); err != nil {
			return err
		}
	case x.schema == "" && x.bare:
		return &exit{exitUsage, errors.New("nothing to explain: give -c SQL, a file, or --schema")}
	case x.schema == "":
		views, err := db.Views(ctx)
		if err != nil {
			return failed(err)
		}
		for _, v := range views {
			text, err := s.ExplainWith(ctx, &x.opts, "REFRESH MATERIALIZED VIEW "+identifier(v))
			if err != nil {
				return &exit{exitFailed, err}
			}
			x.show(out, text)
		}
	}
	switch {
	case x.failed:
		return &exit{exitFailed, nil}
	case x.shown == 0 && asked:
		return &exit{exitUsage, errors.New("there is nothing to explain in this text: wanted is a query, or CREATE or REFRESH MATERIALIZED VIEW")}
	case x.drawn != "" && x.shown > 1:
		err := fmt.Errorf("%s is one picture, and there are %d statements to draw: choose one", x.opts.Format, x.shown)
		if views, verr := db.Views(ctx); verr == nil && len(views) > 0 {
			err = fmt.Errorf(`%w with -c 'REFRESH MATERIALIZED VIEW %s'`, err, identifier(views[0]))
			if len(views) > 1 {
				err = fmt.Errorf("%w (views: %s)", err, strings.Join(views, ", "))
			}
		}
		return &exit{exitUsage, err}
	}
	out.WriteString(x.drawn)
	return nil
}

// rehearsal opens the database, or one in memory that is gone at the end.
func (a *app) rehearsal(bare bool) (serve.Store, error) {
	if !bare {
		return a.open(true)
	}
	limit, err := a.memoryLimit()
	if err != nil {
		return nil, &exit{exitUsage, err}
	}
	db, err := ivmc.Open("", &ivmc.Options{InMemory: true, NoFiles: true, MemoryLimit: limit})
	if err != nil {
		return nil, &exit{exitStore, err}
	}
	return serve.Local(db), nil
}

// explainAll goes through a text; an error is printed, and the next statement follows.
func (a *app) explainAll(ctx context.Context, s serve.Session, x *explainer, in io.ReadCloser, src *source, out *bufio.Writer, show bool) error {
	defer in.Close()
	script := ivmc.NewScript(in)
	for ctx.Err() == nil {
		st, err := next(ctx, script)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return &exit{exitFailed, fmt.Errorf("read %s: %w", src.name, err)}
		}
		o := x.opts
		o.Line, o.Column = st.Line, st.Column
		text, ok := "", true
		if x.bare {
			text, ok, err = s.Rehearse(ctx, &o, st.Text)
		} else {
			text, err = s.ExplainWith(ctx, &o, st.Text)
		}
		var failed *ivmc.Error
		switch {
		case errors.As(err, &failed):
			st.Place(failed)
			if err := writeErrors(out, a.err, failed, src); err != nil {
				return err
			}
			x.failed = true
		case err != nil:
			return &exit{exitFailed, err}
		}
		if ok && show && text != "" {
			x.show(out, text)
		}
	}
	return nil
}

// show prints one explanation; text is kept apart by an empty line.
func (x *explainer) show(out *bufio.Writer, text string) {
	if x.shown > 0 && x.opts.Format == "text" {
		out.WriteString("\n")
	}
	x.shown++
	if x.opts.Format == "svg" || x.opts.Format == "mermaid" {
		x.drawn = text
		return
	}
	out.WriteString(text)
}

// identifier is a name as SQL reads it.
func identifier(s string) string { return ivmc.QuoteIdent(s) }
