package main

import (
	"context"
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/ivmc/ivmc"
)

// foldName is the name that a word of SQL means: as it stands between quotes, else
// in lower case.
func foldName(word string) string {
	if n := len(word); n > 1 && word[0] == '"' && word[n-1] == '"' {
		return strings.ReplaceAll(word[1:n-1], `""`, `"`)
	}
	return strings.ToLower(word)
}

// describe is \d.
func (sh *shell) describe(ctx context.Context, arg string) error {
	if arg == "" || strings.ContainsAny(arg, "*?") {
		return sh.list(ctx, arg, "table", "view", "materialized view", "stream")
	}
	st, err := sh.db.Status(ctx)
	if err != nil {
		return err
	}
	name := foldName(arg)
	for _, r := range st.Relations {
		if r.Name == name {
			return sh.describeOne(ctx, r)
		}
	}
	rows, err := sh.db.Text(ctx, "DESCRIBE "+arg) // information_schema.x
	if err != nil {
		return err
	}
	defer rows.Close()
	_, err = sh.tables.table(sh.out, rows)
	return err
}

func (sh *shell) describeOne(ctx context.Context, r ivmc.RelationStatus) error {
	quoted := ivmc.QuoteIdent(r.Name)
	kind := strings.ToUpper(r.Kind[:1]) + r.Kind[1:]
	if err := sh.say("%s %s\n", kind, quoted); err != nil {
		return err
	}
	rows, err := sh.db.Text(ctx, "DESCRIBE "+quoted)
	if err != nil {
		return err
	}
	defer rows.Close()
	if _, err := sh.tables.table(sh.out, rows); err != nil {
		return err
	}
	if v := r.View; v != nil {
		state := "not built yet"
		if v.Built {
			state = fmt.Sprintf("%s, as of %s UTC; pending changes: %d", rowCount(r.Rows), v.Frontier.Time().Format(time.DateTime), v.Pending)
		}
		how := "incrementally"
		if len(v.Blockers) > 0 {
			how = "by COMPLETE (" + strings.Join(v.Blockers, ", ") + ")"
		}
		if err := sh.say("%s\nRefreshed %s.\n", state, how); err != nil {
			return err
		}
	}
	made, err := sh.db.Text(ctx, "SHOW CREATE "+strings.ToUpper(r.Kind)+" "+quoted)
	if err != nil {
		return err
	}
	defer made.Close()
	for made.Next() {
		if text, null := made.Cell(1); !null {
			if err := sh.say("%s;\n\n", strings.ReplaceAll(string(appendPrintable(nil, text)), "\n", "\n  ")); err != nil {
				return err
			}
		}
	}
	return made.Err()
}

// list is \d without a name, \dt, \dv and \dm.
func (sh *shell) list(ctx context.Context, pattern string, kinds ...string) error {
	st, err := sh.db.Status(ctx)
	if err != nil {
		return err
	}
	g := grid("name", "kind", ">rows", ">pending", ">bytes")
	for _, r := range st.Relations {
		if !oneOf(r.Kind, kinds) || !matches(pattern, r.Name) {
			continue
		}
		rows, pending, bytes := fmt.Sprint(r.Rows), "", fmt.Sprint(r.LogBytes+r.StateBytes)
		if r.Kind == "view" || r.Stream != nil {
			rows, bytes = "", ""
		}
		if r.Stream != nil {
			pending = fmt.Sprint(r.Stream.Pending)
		}
		if v := r.View; v != nil && v.Built {
			pending = fmt.Sprint(v.Pending)
		}
		g.add(r.Name, r.Kind, rows, pending, bytes)
	}
	if len(g.rows) == 0 {
		return sh.say("There are none.\n")
	}
	n, err := sh.tables.table(sh.out, g)
	if err != nil {
		return err
	}
	return sh.say("(%s)\n\n", rowCount(int64(n)))
}

func oneOf(s string, set []string) bool {
	for _, x := range set {
		if s == x {
			return true
		}
	}
	return false
}

// matches reports whether a name is one that a pattern means; "" means all.
func matches(pattern, name string) bool {
	if pattern == "" {
		return true
	}
	ok, err := path.Match(strings.NewReplacer(`\`, `\\`, "[", `\[`).Replace(foldName(pattern)), strings.ReplaceAll(name, "/", "_"))
	return ok && err == nil
}
