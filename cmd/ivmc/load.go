package main

import (
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/ivmc/ivmc"
)

func (a *app) loadCommand() *cobra.Command {
	var o ivmc.LoadOptions
	var delimiter string
	c := &cobra.Command{
		Use:   "load TABLE FILE..",
		Short: "add the rows of files to a table, made from the first file if it is absent",
		Long: `Add the rows of files to a table: CSV, JSON (an array, or one object a line), Parquet
or Arrow; CSV and JSON also as .gz or .zst; - is standard input, whose format --format says. Columns go by name. All rows of all files
are added, or none. A table that is absent is made with the columns of the first file, and with --key as its PRIMARY KEY.`,
		Example: `  ivmc load --db data flights flights-3m.parquet
  ivmc load --db data airports airports.csv --null NA --key iata
  zcat airports.csv.gz | ivmc load --db data airports - --format csv`,
		Args: cobra.MinimumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if delimiter == `\t` { // as a person writes it
				delimiter = "\t"
			}
			if len(delimiter) > 1 {
				return &exit{exitUsage, fmt.Errorf("delimiter %q: wanted one byte", delimiter)}
			}
			if delimiter != "" {
				o.Delimiter = delimiter[0]
			}
			files, in, err := a.spooled(cmd.Context(), args[1:], o.Format)
			if err != nil {
				return err
			}
			defer in.remove()
			db, err := a.open(false)
			if err != nil {
				return err
			}
			defer closeDB(db, &err)
			bar := &progress{out: a.err, on: terminal(a.err), start: time.Now()}
			o.Progress = bar.show
			n, err := db.Load(cmd.Context(), relation(args[0]), o, files...)
			bar.clear()
			if err != nil {
				return &exit{exitFailed, in.named(err)}
			}
			took := time.Since(bar.start)
			fmt.Fprintf(a.err, "%s in %.2f s\n", rowCount(n), took.Seconds())
			return nil
		},
	}
	c.Flags().StringVar(&o.Format, "format", "", "csv, json, parquet or arrow (default: by the ending of each file)")
	c.Flags().BoolVar(&o.NoHeader, "no-header", false, "a CSV has no line of names: columns go by position")
	c.Flags().StringVar(&o.Null, "null", "", "the CSV field that is NULL (default: an empty one without quotes)")
	c.Flags().StringSliceVar(&o.Key, "key", nil, "the columns of the PRIMARY KEY of a table that is made, with commas")
	c.Flags().StringVar(&delimiter, "delimiter", "", "between the fields of a CSV (default: a comma)")
	return c
}

// progress is a bar on a terminal; anywhere else it is silent.
type progress struct {
	out   io.Writer
	on    bool
	start time.Time
	last  time.Time
	shown bool
}

func (p *progress) show(done, size int64) {
	now := time.Now()
	if !p.on || size <= 0 || now.Sub(p.last) < 100*time.Millisecond {
		return
	}
	p.last, p.shown = now, true
	const width = 40
	full := int(min(done, size) * width / size)
	bar := make([]byte, width)
	for i := range bar {
		bar[i] = " #"[btoi(i < full)]
	}
	fmt.Fprintf(p.out, "\r[%s] %3d %%  %.0f s", bar, min(done, size)*100/size, now.Sub(p.start).Seconds())
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// clear takes the bar off the line.
func (p *progress) clear() {
	if p.shown {
		fmt.Fprint(p.out, "\r\033[K")
	}
}
