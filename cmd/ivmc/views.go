package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/ivmc/ivmc"
)

func (a *app) refreshCommand() *cobra.Command {
	var all bool
	var mode string
	c := &cobra.Command{
		Use:   "refresh [VIEW..|--all]",
		Short: "bring views forward, each after those that it reads",
		Example: `  ivmc refresh --db data --all
  ivmc refresh --db data by_state --mode incremental`,
		RunE: func(cmd *cobra.Command, views []string) (err error) {
			m, err := ivmc.ParseMode(mode)
			if err != nil {
				return &exit{exitUsage, err}
			}
			if all == (len(views) > 0) {
				return &exit{exitUsage, errors.New("give the names of views, or --all")}
			}
			return a.eachView(cmd, views, func(db *ivmc.DB, v string) error {
				rep, err := db.Refresh(cmd.Context(), v, m)
				if err == nil {
					printRefresh(a.out, rep)
				}
				return err
			})
		},
	}
	c.Flags().BoolVar(&all, "all", false, "all views")
	c.Flags().StringVar(&mode, "mode", "", "auto, incremental or complete (default: as the view was created)")
	return c
}

func (a *app) verifyCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "verify [VIEW..]",
		Short: "recompute views and compare; without names, all of them",
		Long: `Recompute views from their sources, as those stood when each view was last
refreshed, and compare row by row. Without names, all of them. Nothing is changed;
the status is 1 if a view differs.`,
		Example: `  ivmc verify --db data
  ivmc verify --db data by_state`,
		RunE: func(cmd *cobra.Command, views []string) error {
			return a.eachView(cmd, views, func(db *ivmc.DB, v string) error {
				rep, err := db.Verify(cmd.Context(), v)
				if err != nil {
					return err
				}
				if rep.Equal {
					fmt.Fprintf(a.out, "%s: ok, %s\n", v, rowCount(rep.Rows))
					return nil
				}
				fmt.Fprintf(a.out, "%s: DIFFERS: %s, %d expected, %d differ\n", v, rowCount(rep.Rows), rep.Expected, rep.Differing)
				for _, l := range rep.Diff {
					fmt.Fprintln(a.out, "  "+l)
				}
				return fmt.Errorf("view %s differs from its definition", v)
			})
		},
	}
}

// eachView does f for the named views in the order of their sources, or for
// all; after a failure it goes on, and the status is 1.
func (a *app) eachView(cmd *cobra.Command, names []string, f func(*ivmc.DB, string) error) (err error) {
	db, err := a.open(true)
	if err != nil {
		return err
	}
	defer closeDB(db, &err)
	wanted := map[string]bool{}
	for _, n := range names {
		wanted[n] = true
	}
	order := db.Views()
	if len(names) > 0 {
		order = order[:0:0]
		for _, v := range db.Views() {
			if wanted[v] {
				order = append(order, v)
				delete(wanted, v)
			}
		}
		for _, n := range names { // those that are no views fail with their names
			if wanted[n] {
				order = append(order, n)
			}
		}
	}
	var status error
	for _, v := range order {
		if err := cmd.Context().Err(); err != nil {
			break
		}
		if err := f(db, v); err != nil {
			fmt.Fprintf(a.err, "ivmc: %s: %s\n", v, plain(err))
			status = &exit{exitFailed, nil}
		}
	}
	return status
}
