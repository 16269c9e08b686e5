package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ivmc/ivmc"
	"github.com/ivmc/ivmc/serve"
)

func (a *app) refreshCommand() *cobra.Command {
	var all, cascade, objects bool
	var mode string
	c := &cobra.Command{
		Use:   "refresh [VIEW..|--all]",
		Short: "bring views forward, each after those that it reads",
		Long: `Bring views forward to everything that is committed, all from one moment, each after
those that it reads, and print how. A view that fails keeps only those from it that
read it; the status is 1 then. With --cascade the views below those named go first,
each by its own mode. Rows in are changed rows read, once for
each term of the plan that reads them; rows out are records written.`,
		Example: `  ivmc refresh --db data --all
  ivmc refresh --db data by_state --mode incremental
  ivmc refresh --db data top --cascade
  ivmc refresh --db data --all --format json`,
		RunE: func(cmd *cobra.Command, views []string) (err error) {
			m, err := ivmc.ParseMode(mode)
			if err != nil {
				return &exit{exitUsage, err}
			}
			if all == (len(views) > 0) {
				return &exit{exitUsage, errors.New("give the names of views, or --all")}
			}
			return a.refresh(cmd.Context(), relations(views), m, cascade, objects)
		},
	}
	asTableOrJSON(c, &objects)
	c.Flags().BoolVar(&all, "all", false, "all views")
	c.Flags().BoolVar(&cascade, "cascade", false, "the views below those named, too")
	c.Flags().StringVar(&mode, "mode", "", "auto, incremental or complete (default: as the view was created)")
	return c
}

// refresh refreshes views, and prints how it went with each.
func (a *app) refresh(ctx context.Context, views []string, m ivmc.Mode, cascade, objects bool) (err error) {
	db, err := a.open(true)
	if err != nil {
		return err
	}
	defer closeDB(db, &err)
	reps, err := db.RefreshViews(ctx, m, cascade, views)
	if err != nil {
		return failed(err)
	}
	g := grid("view", "requested", "executed", "reason", ">rows in", ">rows out", ">ms")
	var status error
	for _, rep := range reps {
		if rep.Err != nil {
			g.add(rep.View, rep.Requested.String(), "failed", codeOf(rep.Err), "", "", "")
			status = a.viewFailed(rep.View, rep.Err)
			continue
		}
		executed := rep.Executed.String()
		if rep.NoOp {
			executed += ", nothing to do"
		}
		g.add(rep.View, rep.Requested.String(), executed, rep.Reason, fmt.Sprint(rep.RowsIn), fmt.Sprint(rep.RowsOut), milliseconds(rep.Duration))
	}
	if objects {
		err = writeRefreshes(a.out, reps)
	} else {
		err = a.printGrid(g)
	}
	if err != nil {
		return err
	}
	return status
}

// viewFailed says what went wrong with a view; the status that it gives.
func (a *app) viewFailed(view string, err error) error {
	fmt.Fprintf(a.err, "ivmc: %s: %s\n", view, plain(err))
	if storeFault(err) {
		return &exit{exitStore, nil}
	}
	return &exit{exitFailed, nil}
}

func (a *app) printGrid(g *made) error {
	out := bufio.NewWriter(a.out)
	if _, err := a.look().table(out, g); err != nil {
		return &exit{exitFailed, err}
	}
	if err := out.Flush(); err != nil {
		return &exit{exitFailed, fmt.Errorf("write: %w", err)}
	}
	return nil
}

// relation is the name of a table, view or stream that was given as an argument: as it
// is, without quotes. All are in the schema public, which may stand before it.
func relation(arg string) string { return strings.TrimPrefix(arg, "public.") }

func relations(args []string) []string {
	out := make([]string, len(args))
	for i, a := range args {
		out[i] = relation(a)
	}
	return out
}

// codeOf is the SQLSTATE of an error.
func codeOf(err error) string {
	var e *ivmc.Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

// milliseconds is d as a cell that is as wide as any other up to a quarter of an
// hour, so that one run's table looks like another's.
func milliseconds(d time.Duration) string {
	return fmt.Sprintf("%10.3f", float64(d.Microseconds())/1000)
}

func (a *app) verifyCommand() *cobra.Command {
	var objects bool
	c := &cobra.Command{
		Use:   "verify [VIEW..]",
		Short: "recompute views and compare; without names, all of them",
		Long: `Recompute views from their sources, as those stood when each view was last
refreshed, and compare row by row: by the plan of a complete refresh, and where
there are few rows by the definition too. Without names, all of them. Nothing is
changed; the status is 1 if a view differs. Of the rows that differ up to 20 are
printed: "+2|a" stands twice too little in the view, "-1|b" once too much.`,
		Example: `  ivmc verify --db data
  ivmc verify --db data by_state
  ivmc verify --db data --format json`,
		RunE: func(cmd *cobra.Command, views []string) error {
			g := grid("view", "result", ">rows", "compared with", ">ms")
			var rows []string
			table := g
			if objects {
				table = nil
			}
			err := a.eachView(cmd, views, table, func(db serve.Store, v string) error {
				rep, err := db.Verify(cmd.Context(), v)
				if objects {
					if err := writeVerified(a.out, v, rep, err); err != nil {
						return err
					}
				}
				if err != nil {
					g.add(v, "failed", "", codeOf(err), "")
					return err
				}
				result, by := "ok", "plan"
				if rep.ByDefinition {
					by = "plan and definition"
				}
				if !rep.Equal {
					result = "DIFF"
				}
				g.add(v, result, fmt.Sprint(rep.Rows), by, milliseconds(rep.Duration))
				if rep.Equal {
					return nil
				}
				rows = append(rows, differing(v, rep)...)
				return fmt.Errorf("view %s differs from its definition", v)
			})
			for _, r := range rows {
				if !objects {
					fmt.Fprintln(a.out, r)
				}
			}
			return err
		},
	}
	asTableOrJSON(c, &objects)
	return c
}

// differing are lines about the rows that a view has and should not, and the other
// way round.
func differing(view string, rep *ivmc.VerifyReport) []string {
	lines := []string{fmt.Sprintf("%s: %s, %d expected, %d differ", view, rowCount(rep.Rows), rep.Expected, rep.Differing)}
	for _, l := range rep.Diff {
		lines = append(lines, "  "+string(appendPrintable(nil, []byte(strings.ReplaceAll(l, "\n", `\n`)))))
	}
	return lines
}

// eachView does f for the named views in the order of their sources, or for all, and prints the grid that f fills. After a
// nil: none. After a
// failure it goes on, and the status is 1; a name that is no view is a failure.
func (a *app) eachView(cmd *cobra.Command, names []string, g *made, f func(serve.Store, string) error) (err error) {
	db, err := a.open(true)
	if err != nil {
		return err
	}
	defer closeDB(db, &err)
	order, err := db.Views(cmd.Context())
	if err != nil {
		return failed(err)
	}
	if len(names) > 0 {
		wanted := map[string]bool{}
		names = relations(names)
		for _, n := range names {
			wanted[n] = true
		}
		all := order
		order = order[:0:0]
		for _, v := range all {
			if wanted[v] {
				order = append(order, v)
				delete(wanted, v)
			}
		}
		for _, n := range names { // those that are no views fail with their names
			if wanted[n] {
				order = append(order, n)
				delete(wanted, n)
			}
		}
	}
	var status error
	show := terminal(a.err)
	for _, v := range order {
		if err := cmd.Context().Err(); err != nil {
			break
		}
		if show {
			fmt.Fprintf(a.err, "\r\033[K%s ..", v)
		}
		err := f(db, v)
		if show {
			fmt.Fprint(a.err, "\r\033[K")
		}
		if err != nil {
			status = a.viewFailed(v, err)
		}
	}
	if g != nil {
		if err := a.printGrid(g); err != nil {
			return err
		}
	}
	return status
}
