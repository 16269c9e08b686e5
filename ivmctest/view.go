package ivmctest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/ivmc/ivmc"
)

// Options of [View].
type Options struct {
	// Schema is the DDL of the tables, and INSERTs of the rows that they begin
	// with. Values of these INSERTs are used by the changes too.
	Schema string
	// View is a query, or the CREATE MATERIALIZED VIEW statements of several views.
	View string

	// Steps is the number of refreshes. Default: 60.
	Steps int
	// Changes is the most changes between two refreshes. Default: 6.
	Changes int
	// Rows is about how many rows a table has. Default: 12.
	Rows int
	// Seed chooses other changes. Default: 1.
	Seed uint64
	// Values are the values of columns, by "table.column", for what a CHECK or a
	// join asks. A value is what [ivmc.DB.Exec] takes as an argument; nil is NULL.
	Values map[string][]any

	// Script is recorded changes in place of those: statements, or transactions,
	// after each of which the views are refreshed and checked.
	Script string

	// Functions are those that the views call.
	Functions []ivmc.Function
	// AnyMode also takes views that cannot be refreshed incrementally.
	AnyMode bool
	// MayFail also takes a refresh that fails, as long as the query of the view fails too.
	MayFail bool
}

func (o *Options) ensureDefaults() {
	for _, f := range []struct {
		at        *int
		otherwise int
	}{{&o.Steps, 60}, {&o.Changes, 6}, {&o.Rows, 12}} {
		if *f.at <= 0 {
			*f.at = f.otherwise
		}
	}
	if o.Seed == 0 {
		o.Seed = 1
	}
}

// String lists the options with their defaults, one line, without the texts.
func (o Options) String() string {
	o.ensureDefaults()
	return fmt.Sprintf("steps=%d changes=%d rows=%d seed=%d values=%d script=%t functions=%d any_mode=%t may_fail=%t",
		o.Steps, o.Changes, o.Rows, o.Seed, len(o.Values), o.Script != "", len(o.Functions), o.AnyMode, o.MayFail)
}

// View checks a view, or several, while the tables change.
func View(t testing.TB, o Options) {
	t.Helper()
	o.ensureDefaults()
	w, err := newWorld(o)
	if err != nil {
		t.Fatalf("ivmctest: %v", err)
		return
	}
	defer w.close()
	var f *failure
	if o.Script != "" {
		f, err = w.recorded()
	} else {
		f, err = w.random()
	}
	if err != nil {
		t.Fatalf("ivmctest: %v", err)
		return
	}
	if f != nil {
		t.Fatalf("%s", f.report(o, shrink(o, w.done, f)))
	}
}

// Verify refreshes the views of a database, all of it if none is named, and
// compares each with its query.
func Verify(t testing.TB, db *ivmc.DB, views ...string) {
	t.Helper()
	if len(views) == 0 {
		views = db.Views()
	}
	w := &world{db: db, o: Options{AnyMode: true}}
	for _, v := range views {
		if f := w.check(v); f != nil {
			t.Errorf("view %s %s", v, f.text)
		}
	}
}

// world is a database under change, and what was done to it.
type world struct {
	o     Options
	db    *ivmc.DB
	views []string
	done  []string // statements and transactions; "" is a refresh of all views with their check
}

// failure is what is wrong with a view.
type failure struct{ view, text string }

// newWorld makes the database and the views, and checks them over what they begin with.
func newWorld(o Options) (*world, error) {
	db, err := ivmc.Open("", &ivmc.Options{InMemory: true, Functions: o.Functions})
	if err != nil {
		return nil, err
	}
	w := &world{o: o, db: db}
	for _, part := range []struct{ name, sql string }{{"schema", o.Schema}, {"view", o.view()}} {
		if _, err := db.Exec(context.Background(), part.sql); err != nil {
			return nil, errors.Join(fmt.Errorf("%s: %w", part.name, explained(err)), db.Close())
		}
	}
	if w.views = db.Views(); len(w.views) == 0 {
		return nil, errors.Join(errors.New("there is no materialized view"), db.Close())
	}
	return w, nil
}

func (w *world) close() { _ = w.db.Close() }

// view is the statement that makes the view.
func (o *Options) view() string {
	if first := strings.Fields(o.View); len(first) > 0 && !strings.EqualFold(first[0], "create") {
		return "CREATE MATERIALIZED VIEW v AS " + o.View
	}
	return o.View
}

// run does one statement or transaction. An error of the data is none: a
// constraint that does not hold, a value out of range.
func (w *world) run(sql string) error {
	w.done = append(w.done, sql)
	_, err := w.db.Exec(context.Background(), sql)
	var e *ivmc.Error
	if errors.As(err, &e) && (strings.HasPrefix(e.Code, "23") || strings.HasPrefix(e.Code, "22") || e.Code == "21000" || e.Code == "38000") {
		w.done = w.done[:len(w.done)-1]
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s: %w", sql, explained(err))
	}
	return nil
}

// step refreshes and checks all views.
func (w *world) step() *failure {
	w.done = append(w.done, "")
	for _, v := range w.views {
		if f := w.check(v); f != nil {
			return f
		}
	}
	return nil
}

// check refreshes a view and compares it with its query.
func (w *world) check(view string) *failure {
	ctx := context.Background()
	mode := ivmc.Incremental
	if w.o.AnyMode {
		mode = ivmc.Auto
	}
	if _, err := w.db.Refresh(ctx, view, mode); err != nil {
		if w.o.MayFail && w.fails(view) {
			return nil
		}
		return &failure{view, "cannot be refreshed: " + explained(err).Error()}
	}
	rep, err := w.db.Verify(ctx, view)
	if err != nil {
		return &failure{view, "cannot be recomputed: " + explained(err).Error()}
	}
	if rep.Equal {
		return nil
	}
	return &failure{view, fmt.Sprintf("differs from its query in %d rows (+ it lacks the row, - it has it too much; NULL, then the cells):\n%s",
		rep.Differing, strings.Join(rep.Diff, "\n"))}
}

// fails reports whether the view cannot be computed at all now.
func (w *world) fails(view string) bool {
	_, err := w.db.Refresh(context.Background(), view, ivmc.Complete)
	return err != nil
}

// recorded runs the script.
func (w *world) recorded() (*failure, error) {
	if f := w.step(); f != nil {
		return f, nil
	}
	script := ivmc.NewScript(strings.NewReader(w.o.Script))
	var open []string // of a transaction
	begun := 0        // its line
	for {
		st, err := script.Next()
		if errors.Is(err, io.EOF) && strings.TrimSpace(st.Text) == "" {
			if len(open) > 0 {
				return nil, fmt.Errorf("script, line %d: the transaction that begins here has no end: COMMIT or ROLLBACK is missing", begun)
			}
			return nil, nil
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		word := strings.ToUpper(strings.TrimRight(strings.Fields(st.Text + " ;")[0], ";"))
		if len(open) == 0 {
			begun = st.Line
		}
		open = append(open, st.Text)
		if begins := word == "BEGIN" || word == "START"; begins || len(open) > 1 && word != "COMMIT" && word != "ROLLBACK" && word != "END" {
			continue
		}
		sql := strings.Join(open, ";\n")
		open = nil
		w.done = append(w.done, sql)
		if _, err := w.db.Exec(context.Background(), sql); err != nil {
			return nil, fmt.Errorf("script, line %d: %w", st.Line, explained(err))
		}
		if f := w.step(); f != nil {
			return f, nil
		}
	}
}

// explained is an error with its detail and hint.
func explained(err error) error {
	var e *ivmc.Error
	if !errors.As(err, &e) {
		return err
	}
	text := err.Error()
	for _, x := range e.Errors[min(1, len(e.Errors)):] {
		text += "; " + x.Message
	}
	for _, more := range []string{e.Detail, e.Hint} {
		if more != "" {
			text += "\n  " + more
		}
	}
	return errors.New(text)
}
