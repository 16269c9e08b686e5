package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ivmc/ivmc/serve"
)

func (a *app) changesCommand() *cobra.Command {
	var since, until, kind, format string
	c := &cobra.Command{
		Use:   "changes RELATION",
		Short: "print the changes of a table or materialized view",
		Long: `Print the changes of a table or materialized view that were committed in
[since, until), in their order: __op (APPEND, DELETE, UPDATE_BEFORE, UPDATE_AFTER),
__tso and __lsn of the commit, and the row. In JSON a TSO is a string, for it has more
digits than a double holds. A bound is a TSO, or a time as
'2026-09-14 10:00:00' in UTC. Types: min_delta is what differs between the ends,
append_only the inserts alone, detail everything.`,
		Example: `  ivmc changes orders --db data --since '2026-09-14 10:00:00' --type detail
  ivmc changes by_state --db data --format arrow > changes.arrows`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			write, ok := changeFormats[format]
			if !ok {
				return &exit{exitUsage, fmt.Errorf("format %q: wanted json, csv or arrow", format)}
			}
			query, err := changesQuery(relation(args[0]), since, until, kind, format)
			if err != nil {
				return &exit{exitUsage, err}
			}
			db, err := a.open(true)
			if err != nil {
				return err
			}
			defer closeDB(db, &err)
			out := bufio.NewWriterSize(a.out, 64<<10)
			err = write(cmd.Context(), db, query, out, a.err)
			if ferr := out.Flush(); err == nil {
				err = ferr
			}
			if err != nil {
				return &exit{exitFailed, err}
			}
			return nil
		},
	}
	c.Flags().StringVar(&since, "since", "", "a TSO or a time in UTC (default: the beginning)")
	c.Flags().StringVar(&until, "until", "", "a TSO or a time in UTC (default: now)")
	c.Flags().StringVar(&kind, "type", "min_delta", "min_delta, append_only or detail")
	c.Flags().StringVar(&format, "format", "json", "json, csv or arrow")
	return c
}

var changeFormats = map[string]func(ctx context.Context, db serve.Store, query string, out *bufio.Writer, errw io.Writer) error{
	"json": func(ctx context.Context, db serve.Store, query string, out *bufio.Writer, _ io.Writer) error {
		return db.WriteJSON(ctx, query, out)
	},
	"csv": changesCSV,
	"arrow": func(ctx context.Context, db serve.Store, query string, out *bufio.Writer, _ io.Writer) error {
		return db.WriteArrow(ctx, query, out)
	},
}

// changesQuery is the query that gives the changes, in the order of the log.
func changesQuery(relation, since, until, kind, format string) (string, error) {
	var params []string
	for _, x := range []struct{ end, value string }{{"start", since}, {"end", until}} {
		switch _, err := strconv.ParseUint(x.value, 10, 64); {
		case x.value == "":
		case err == nil:
			params = append(params, fmt.Sprintf("'%sTSO' = '%s'", x.end, x.value))
		default:
			if _, err := time.Parse("2006-01-02 15:04:05", x.value); err != nil {
				return "", fmt.Errorf("%q is neither a TSO nor a time as 2006-01-02 15:04:05", x.value)
			}
			params = append(params, fmt.Sprintf("'%sTimestamp' = '%s'", x.end, x.value))
		}
	}
	switch kind {
	case "min_delta", "append_only", "detail":
	default:
		return "", fmt.Errorf("type %q: wanted min_delta, append_only or detail", kind)
	}
	params = append(params, "'incrementType' = '"+kind+"'")
	tso := "r.__doris_binlog_tso__"
	if format == "json" {
		tso += "::text"
	}
	name := `"` + strings.ReplaceAll(relation, `"`, `""`) + `"`
	return `SELECT CASE r.__doris_binlog_op__ WHEN 0 THEN 'APPEND' WHEN 1 THEN 'DELETE' WHEN 2 THEN 'UPDATE_BEFORE' ELSE 'UPDATE_AFTER' END AS "__op", ` +
		tso + ` AS "__tso", r.__doris_binlog_lsn__ AS "__lsn", r.* FROM ` + name + "@incr(" + strings.Join(params, ", ") + ") AS r", nil
}

func changesCSV(ctx context.Context, db serve.Store, query string, out *bufio.Writer, errw io.Writer) error {
	rows, err := db.Text(ctx, query)
	if err != nil {
		return err
	}
	defer rows.Close()
	return (&csvPrinter{out: out, err: errw}).outcome(&serve.Outcome{Rows: rows})
}
