package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ivmc/ivmc"
)

// watchFlag is the value of --watch without one, in seconds.
const watchFlag = "2"

func (a *app) statusCommand() *cobra.Command {
	var format, watch string
	c := &cobra.Command{
		Use:   "status",
		Short: "list tables, views and streams: rows, frontiers, what is pending, sizes",
		Long: `List tables, views and streams. Nothing is loaded or computed for it. A view stands
for its frontier, a commit, and a stream was consumed up to it; pending are the rows
that were born and died since in what it reads, and in what that reads. Sizes are in
bytes, on the disk. Where views have a schedule, a lag or move with commits, the last column says
how that stands.`,
		Example: `  ivmc status --db data
  ivmc status --db data --format json
  ivmc status --db data --watch=10`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			every, err := seconds(watch)
			if err != nil {
				return &exit{exitUsage, fmt.Errorf("--watch: %w", err)}
			}
			if format != "table" && format != "json" {
				return &exit{exitUsage, fmt.Errorf("unknown format %q: table or json", format)}
			}
			if every > 0 {
				return a.watchStatus(cmd.Context(), format, every)
			}
			return a.showStatus(cmd.Context(), format, "")
		},
	}
	c.Flags().StringVar(&watch, "watch", "", "again every so many seconds until Ctrl-C: on a terminal in place of the last one, else block after block (2 where no number is given)")
	c.Flags().Lookup("watch").NoOptDefVal = watchFlag
	c.Flags().StringVar(&format, "format", "table", "table or json")
	return c
}

// showStatus prints the status once, behind head.
func (a *app) showStatus(ctx context.Context, format, head string) (err error) {
	db, err := a.open(true)
	if err != nil {
		return err
	}
	defer closeDB(db, &err)
	st, err := db.Status(ctx)
	if err != nil {
		return failed(err)
	}
	out := bufio.NewWriter(a.out)
	out.WriteString(head)
	if format == "json" {
		err = writeStatusJSON(out, st)
	} else {
		err = a.writeStatus(out, st)
	}
	if err == nil {
		err = out.Flush()
	}
	if err != nil {
		return &exit{exitFailed, fmt.Errorf("write: %w", err)}
	}
	return nil
}

// watchStatus prints it again and again, until ctx ends or it fails. A terminal shows
// the last one. Nobody is kept from the database meanwhile.
func (a *app) watchStatus(ctx context.Context, format string, every time.Duration) error {
	clear := ""
	if terminal(a.out) {
		clear = "\x1b[H\x1b[2J"
	}
	for n := 0; ; n++ {
		head := clear
		if format == "table" {
			if n > 0 && clear == "" {
				head += "\n"
			}
			head += fmt.Sprintf("%s UTC, every %s\n", time.Now().UTC().Format(time.DateTime), every)
		}
		if err := a.showStatus(ctx, format, head); err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(every):
		}
	}
}

// seconds reads a number of them; "" is 0.
func seconds(s string) (time.Duration, error) {
	if s == "" {
		return 0, nil
	}
	n, err := strconv.ParseFloat(s, 64)
	if err != nil || !(n > 0) || n > 1e6 {
		return 0, fmt.Errorf("%q is no number of seconds", s)
	}
	return time.Duration(n * float64(time.Second)), nil
}

// failed is the error of a command, with the status that it has.
func failed(err error) error {
	if storeFault(err) {
		return &exit{exitStore, err}
	}
	return &exit{exitFailed, err}
}

func (a *app) writeStatus(out *bufio.Writer, st *ivmc.Status) error {
	columns := []string{"name", "kind", ">rows", "frontier (UTC)", ">pending", "mode", "incremental", ">log bytes", ">state bytes"}
	triggers := slices.ContainsFunc(st.Relations, func(r ivmc.RelationStatus) bool { return r.View != nil && r.View.Trigger != "" })
	if triggers {
		columns = append(columns, "refreshed")
	}
	g := grid(columns...)
	for _, r := range st.Relations {
		rows, frontier, pending, mode, incremental := fmt.Sprint(r.Rows), "", "", "", ""
		if r.Kind == "view" {
			rows = ""
		}
		if v := r.View; v != nil {
			mode, incremental = v.Mode.String(), "yes"
			if len(v.Blockers) > 0 {
				incremental = "no: " + strings.Join(v.Blockers, ", ")
			}
			frontier, pending = "not built", ""
			if v.Built {
				frontier, pending = v.Frontier.Time().Format(time.DateTime+".000"), fmt.Sprint(v.Pending)
			}
		}
		if s := r.Stream; s != nil {
			rows, mode, frontier, pending = "", s.Type, "not consumed", fmt.Sprint(s.Pending)
			if s.Consumed > 0 {
				frontier = s.Consumed.Time().Format(time.DateTime + ".000")
			}
			if s.Stale != "" {
				frontier, pending, incremental = "", "", "stale: "+s.Stale
			}
		}
		cells := []string{r.Name, r.Kind, rows, frontier, pending, mode, incremental, fmt.Sprint(r.LogBytes), fmt.Sprint(r.StateBytes)}
		if triggers {
			cells = append(cells, refreshed(r.View))
		}
		g.add(cells...)
	}
	if _, err := a.look().table(out, g); err != nil {
		return err
	}
	at := "never"
	if st.Applied > 0 {
		at = st.Applied.Time().Format(time.DateTime+".000") + " UTC"
	}
	_, err := fmt.Fprintf(out, "last commit: %s\ndisk: %d bytes\n", at, st.DiskBytes)
	return err
}

// refreshed is how a view that need not be told is kept up to date.
func refreshed(v *ivmc.ViewStatus) string {
	switch {
	case v == nil || v.Trigger == "":
		return ""
	case v.Trigger == "ON COMMIT SYNC":
		return "on commit"
	case v.Job == nil:
		return "not now: no server runs"
	}
	j, parts := v.Job, []string(nil)
	if strings.HasPrefix(v.Trigger, "ON COMMIT") {
		parts = append(parts, "on commit")
	}
	if j.Failures > 0 {
		parts = append(parts, fmt.Sprintf("failed %d in a row", j.Failures))
	}
	switch {
	case j.Paused:
		parts = append(parts, "paused")
	case j.Running:
		parts = append(parts, "running")
	case j.Waiting:
		parts = append(parts, "waiting")
	case !j.Next.IsZero():
		parts = append(parts, "next "+j.Next.UTC().Format(time.DateTime))
	case len(parts) == 0:
		parts = append(parts, "nothing to do")
	}
	return strings.Join(parts, ", ")
}

// writeStatusJSON is one object on one line.
func writeStatusJSON(out *bufio.Writer, st *ivmc.Status) error {
	type job struct {
		Running  bool      `json:"running"`
		Waiting  bool      `json:"waiting"`
		Paused   bool      `json:"paused"`
		Next     time.Time `json:"next,omitzero"`
		Failures int       `json:"failures"`
		Skipped  int64     `json:"skipped"`
	}
	type view struct {
		Mode     string   `json:"mode"`
		Blockers []string `json:"blockers"`
		Built    bool     `json:"built"`
		Frontier ivmc.TSO `json:"frontier"`
		Pending  int64    `json:"pending"`
		Trigger  string   `json:"trigger,omitempty"`
		Job      *job     `json:"job,omitempty"`
	}
	type stream struct {
		Base     *string  `json:"base"`
		Type     string   `json:"type"`
		Consumed ivmc.TSO `json:"consumed"`
		Pending  int64    `json:"pending"`
		Stale    *string  `json:"stale"`
	}
	text := func(s string) *string {
		if s == "" {
			return nil
		}
		return &s
	}
	type relation struct {
		Name       string `json:"name"`
		Kind       string `json:"kind"`
		Columns    int    `json:"columns"`
		Rows       int64  `json:"rows"`
		LogBytes   int64  `json:"log_bytes"`
		StateBytes int64  `json:"state_bytes"`
		View       *view  `json:"view,omitempty"`

		Stream *stream `json:"stream,omitempty"`
	}
	o := struct {
		Applied   ivmc.TSO   `json:"applied_tso"`
		DiskBytes int64      `json:"disk_bytes"`
		Relations []relation `json:"relations"`
	}{st.Applied, st.DiskBytes, []relation{}}
	for _, r := range st.Relations {
		j := relation{r.Name, r.Kind, r.Columns, r.Rows, r.LogBytes, r.StateBytes, nil, nil}
		if v := r.View; v != nil {
			j.View = &view{v.Mode.String(), append([]string{}, v.Blockers...), v.Built, v.Frontier, v.Pending, v.Trigger, (*job)(v.Job)}
		}
		if s := r.Stream; s != nil {
			j.Stream = &stream{text(s.Base), s.Type, s.Consumed, s.Pending, text(s.Stale)}
		}
		o.Relations = append(o.Relations, j)
	}
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	return enc.Encode(o)
}

func (a *app) checkCommand() *cobra.Command {
	var objects bool
	c := &cobra.Command{
		Use:   "check",
		Short: "read all that is stored and say what is damaged",
		Long: `Read every block of the store and compare: checksums and structure, rows against
unique keys and NOT NULL, the offsets and states of views, definitions. Nothing is
changed. The status is 3 if something is damaged, which is named. Whether views
are right is for "ivmc verify" to say.`,
		Example: `  ivmc check --db data
  ivmc check --db data --format json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			db, err := a.open(true)
			if err != nil {
				return err
			}
			defer closeDB(db, &err)
			rep, err := db.Check(cmd.Context())
			if err != nil {
				return failed(err)
			}
			if objects {
				if err := writeChecked(a.out, rep); err != nil {
					return err
				}
			} else {
				a.printFaults(rep)
			}
			if len(rep.Faults) > 0 {
				return &exit{exitStore, nil}
			}
			return nil
		},
	}
	asTableOrJSON(c, &objects)
	return c
}

// printFaults says what was found, and the sum of it.
func (a *app) printFaults(rep *ivmc.CheckReport) {
	for _, f := range rep.Faults {
		name := f.Object
		if name == "" {
			name = "store"
		}
		fmt.Fprintf(a.out, "%s: %s\n", name, f.Text)
	}
	result := "ok"
	if len(rep.Faults) > 0 {
		result = fmt.Sprintf("DAMAGED, %d found", len(rep.Faults))
	}
	fmt.Fprintf(a.out, "%s: %d relations, %d blocks, %d bytes, %d row versions\n", result, rep.Relations, rep.Blocks, rep.Bytes, rep.Versions)
}

func (a *app) dumpCommand() *cobra.Command {
	var to string
	c := &cobra.Command{
		Use:   "dump",
		Short: "write SQL that makes everything anew",
		Long: `Write SQL that makes everything anew, all of it of one moment: tables with their
rows, then views, each after what it reads. Running it on an empty database builds
the views. History is not in it.`,
		Example: `  ivmc dump --db data > data.sql
  ivmc sql --db copy --stop-on-error data.sql`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			db, err := a.open(true)
			if err != nil {
				return err
			}
			defer closeDB(db, &err)
			if to == "" {
				if err := db.Dump(cmd.Context(), a.out); err != nil {
					return failed(err)
				}
				return nil
			}
			if err := writeWhole(to, func(f *bufio.Writer) error { return db.Dump(cmd.Context(), f) }); err != nil {
				return failed(err)
			}
			return nil
		},
	}
	c.Flags().StringVarP(&to, "output", "o", "", "the file to write, whole or not at all (default: standard output)")
	_ = c.MarkFlagFilename("output", "sql")
	return c
}
