package algebra

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/ivmc/ivmc/ast"
	"github.com/ivmc/ivmc/zset"
)

// tables is a catalog for tests, made from CREATE TABLE statements.
type tables map[string]Relation

func (ts tables) Relation(name string) (Relation, bool) {
	r, ok := ts[name]
	return r, ok
}

// create adds the table of a CREATE TABLE statement.
func (ts tables) create(sql string) error {
	stmt, err := ast.Parse(sql)
	if err != nil {
		return err
	}
	c, ok := stmt.(*ast.CreateTable)
	if !ok {
		return fmt.Errorf("not a CREATE TABLE: %s", sql)
	}
	r := Relation{ID: uint64(len(ts) + 1), Name: c.Name.Text}
	for _, d := range c.Columns {
		t, err := TypeOf(d.Type)
		if err != nil {
			return err
		}
		r.Schema = append(r.Schema, zset.Field{Name: d.Name.Text, Type: t, NotNull: d.NotNull})
	}
	for _, k := range c.Keys {
		for _, name := range k.Columns {
			i := r.Schema.Index(name.Text)
			r.Key = append(r.Key, i)
			r.Schema[i].NotNull = true
		}
	}
	ts[r.Name] = r
	return nil
}

// bound is a bound statement: a query's node, or the source of a change.
func bound(sql string, env Env) (Node, error) {
	stmt, err := ast.Parse(sql)
	if err != nil {
		return nil, err
	}
	var m *Modify
	switch s := stmt.(type) {
	case *ast.Query:
		return Bind(s, env)
	case *ast.Insert:
		m, err = BindInsert(s, env)
	case *ast.Update:
		m, err = BindUpdate(s, env)
	case *ast.Delete:
		m, err = BindDelete(s, env)
	default:
		return nil, fmt.Errorf("no query and no change: %s", sql)
	}
	if err != nil {
		return nil, err
	}
	return m.Source, nil
}

// shown prints the columns and the tree.
func shown(n Node) string {
	s := n.Schema()
	return "(" + list(len(s), ", ", func(i int) string {
		out := quoteIdent(s[i].Name) + " " + s[i].Type.String()
		if s[i].NotNull {
			out += " not null"
		}
		return out
	}) + ")\n" + Format(n)
}

// complaints prints errors, each with the text that it points at.
func complaints(sql string, err error) string {
	var es Errors
	if !errors.As(err, &es) {
		return err.Error() + "\n"
	}
	var b strings.Builder
	for _, e := range es {
		at := "nowhere"
		if text := []rune(sql); e.Pos >= 0 && e.Pos < len(text) {
			rest := strings.SplitN(string(text[e.Pos:]), "\n", 2)[0]
			at = "<" + string([]rune(rest)[:min(12, len([]rune(rest)))]) + ">"
		}
		fmt.Fprintf(&b, "%s %s: %s\n", e.Code, at, e.Msg)
		if e.Detail != "" {
			fmt.Fprintf(&b, "  detail: %s\n", e.Detail)
		}
		if e.Hint != "" {
			fmt.Fprintf(&b, "  hint: %s\n", e.Hint)
		}
	}
	return b.String()
}

// TestGolden runs testdata: table adds a table, view marks one as a view,
// params sets $1, $2 .., insert runs an INSERT, eval prints
// the rows of a query with their weights, bind prints the algebra as bound, decorrelate the joins
// made of its subqueries, normalize the normal form, rule the effect of one rule on the bound algebra, type a column type.
func TestGolden(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		cat, env, data := tables{}, Env{}, map[uint64]*zset.Batch{}
		env.Catalog = cat
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			sql := strings.TrimSpace(d.Input)
			var err error
			switch d.Cmd {
			case "table":
				for _, one := range strings.Split(sql, "\n") {
					if err := cat.create(one); err != nil {
						return err.Error() + "\n"
					}
				}
				return ""
			case "view":
				r := cat[sql]
				r.IsView = true
				cat[sql] = r
				return ""
			case "params":
				env.Params = nil
				for _, text := range strings.Split(sql, "\n") {
					env.Params = append(env.Params, paramOf(text))
				}
				return ""
			case "type":
				stmt, err := ast.Parse("CREATE TABLE x (c " + sql + ")")
				if err != nil {
					return err.Error() + "\n"
				}
				typ, err := TypeOf(stmt.(*ast.CreateTable).Columns[0].Type)
				if err != nil {
					e := err.(*zset.Error)
					return strings.TrimSpace(fmt.Sprintf("%s %s %s", e.Code, e.Msg, e.Hint)) + "\n"
				}
				return typ.String() + "\n"
			}
			n, err := bound(sql, env)
			if err != nil {
				return complaints(sql, err)
			}
			rel := func(id uint64) (*zset.Batch, error) {
				if b := data[id]; b != nil {
					return b, nil
				}
				for _, r := range cat {
					if r.ID == id {
						return zset.NewBatch(r.Schema.Types(), 0), nil
					}
				}
				return nil, fmt.Errorf("no relation %d", id)
			}
			switch d.Cmd {
			case "bind":
			case "insert":
				b, err := Eval(n, rel)
				if err != nil {
					return err.Error() + "\n"
				}
				id := cat[strings.Fields(sql)[2]].ID
				if data[id] == nil {
					data[id] = zset.NewBatch(b.Types(), 0)
				}
				data[id].Append(b)
				return ""
			case "eval":
				b, err := EvalList(n, rel)
				if err != nil {
					return err.Error() + "\n"
				}
				return printed(zset.Consolidate(b))
			case "decorrelate":
				n = Decorrelate(n)
			case "normalize":
				n = Normalize(n)
			case "rule":
				n, _ = normalize(Decorrelate(n), rulesNamed(t, d.CmdArgs[0].Key), nil)
			default:
				t.Fatalf("unknown command %s", d.Cmd)
			}
			return shown(n)
		})
	})
}

func rulesNamed(t *testing.T, name string) []Rule {
	for _, r := range Rules() {
		if r.Name == name {
			return []Rule{r}
		}
	}
	t.Fatalf("no rule %s", name)
	return nil
}

// paramOf reads an integer, or an untyped text.
func paramOf(text string) zset.Value {
	if v, err := zset.ParseText(zset.TInt8, text); err == nil {
		return v
	}
	return zset.Value{Type: zset.TUnknown, S: text}
}

func sortedStrings(s []string) []string { slices.Sort(s); return s }
