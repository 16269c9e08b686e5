package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"
)

func (a *app) graphCommand() *cobra.Command {
	var format string
	c := &cobra.Command{
		Use:   "graph",
		Short: "show which views and streams read what",
		Long: `Show which views and streams read what, and how each materialized view stands: its
mode, whether it follows changes, its size, and how far it is behind the last commit;
and how many rows each stream has to come. As a tree in text, as JSON, or as a
drawing: dot for Graphviz, mermaid, or svg.`,
		Example: `  ivmc graph --db data
  ivmc graph --db data --format svg > views.svg`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if !oneOf(format, planFormats()) {
				return &exit{exitUsage, fmt.Errorf("unknown format %q: %s", format, choice(planFormats()))}
			}
			db, err := a.open(true)
			if err != nil {
				return err
			}
			defer closeDB(db, &err)
			text, err := db.Graph(cmd.Context(), format)
			if err != nil {
				return failed(err)
			}
			if _, err := io.WriteString(a.out, text); err != nil {
				return &exit{exitFailed, fmt.Errorf("write: %w", err)}
			}
			return nil
		},
	}
	c.Flags().StringVar(&format, "format", "text", choice(planFormats()))
	return c
}
