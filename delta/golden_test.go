package delta_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/ivmc/ivmc/algebra"
	"github.com/ivmc/ivmc/ast"
	"github.com/ivmc/ivmc/delta"
	"github.com/ivmc/ivmc/zset"
)

// catalog is the tables of all goldens.
type catalog struct{}

func (catalog) Relation(name string) (algebra.Relation, bool) {
	col := func(s string) zset.Field {
		n, t, _ := strings.Cut(s, " ")
		ts := map[string]zset.Type{"int": zset.TInt4, "bigint": zset.TInt8, "text": zset.TText, "double": zset.TFloat8,
			"varchar": {Kind: zset.Varchar, Prec: 10}, "timestamp": zset.TTimestamp}
		return zset.Field{Name: n, Type: ts[t]}
	}
	rels := []struct {
		name, cols string
		key        []int
		view       bool
	}{
		{"flights", "id bigint,date timestamp,delay bigint,distance bigint,origin text,destination text", []int{0}, false},
		{"airports", "iata varchar,state text,lat double", []int{0}, false},
		{"bag", "k int,x double", nil, false},
		{"daily", "k bigint,n bigint", nil, true},
	}
	for i, r := range rels {
		if r.name != name {
			continue
		}
		out := algebra.Relation{ID: uint64(i + 1), Name: name, Key: r.key, IsView: r.view}
		for _, c := range strings.Split(r.cols, ",") {
			out.Schema = append(out.Schema, col(c))
		}
		return out, true
	}
	return algebra.Relation{}, false
}

func bind(sql string) (algebra.Node, error) {
	st, err := ast.Parse(sql)
	if err != nil {
		return nil, err
	}
	n, err := algebra.Bind(st.(*ast.Query), algebra.Env{Catalog: catalog{}})
	if err != nil {
		return nil, err
	}
	return algebra.Normalize(n), nil
}

// TestPlans: "plan" prints the plan of a step or the blockers, "from-empty" the
// other folding.
func TestPlans(t *testing.T) {
	datadriven.Walk(t, "testdata/delta", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, td *datadriven.TestData) string {
			n, err := bind(td.Input)
			if err != nil {
				return err.Error() + "\n"
			}
			p, bs := delta.Derive(n, delta.Options{FromEmpty: td.Cmd == "from-empty"})
			var b strings.Builder
			if td.Cmd == "plan" {
				for _, x := range bs {
					fmt.Fprintf(&b, "%d %s\n", x.Pos, x)
				}
			}
			if p == nil {
				return b.String()
			}
			again := new(delta.Plan)
			text, err := json.Marshal(p)
			if err != nil {
				return err.Error()
			}
			if err := json.Unmarshal(text, again); err != nil {
				return err.Error()
			}
			if p.String() != again.String() {
				t.Errorf("%s: the plan read back is another", td.Pos)
			}
			return b.String() + p.String()
		})
	})
}

// Every operator of the algebra has exactly one rule.
func TestEveryOperatorHasARule(t *testing.T) {
	seen := map[string]bool{}
	for _, name := range delta.RuleNames() {
		if seen[name] {
			t.Errorf("%s has two rules", name)
		}
		seen[name] = true
	}
	for _, n := range []algebra.Node{&algebra.Scan{}, &algebra.Filter{}, &algebra.Project{}, &algebra.Join{}, &algebra.UnionAll{},
		&algebra.Aggregate{}, &algebra.Sort{}, &algebra.Limit{}, &algebra.Values{},
		&algebra.Outer{}, &algebra.Match{}, &algebra.Combine{}, &algebra.Window{}, &algebra.GroupingSets{}, &algebra.Unnest{}} {
		if !delta.HasRule(n) {
			t.Errorf("%s has no rule", reflect.TypeOf(n))
		}
	}
	if len(seen) != 15 {
		t.Errorf("%d rules", len(seen))
	}
}

// The fingerprint follows meaning and layout, not names, aliases, positions or statistics.
func TestFingerprint(t *testing.T) {
	print := func(sql string, o delta.Options) string {
		n, err := bind(sql)
		if err != nil {
			t.Fatal(err)
		}
		p, bs := delta.Derive(n, o)
		if p == nil {
			t.Fatal(bs)
		}
		return p.Fingerprint()
	}
	base := "SELECT origin, sum(delay) AS s FROM flights WHERE distance > 5 GROUP BY origin"
	same := []string{
		"SELECT f.origin,   sum(f.delay) AS total FROM flights AS f WHERE f.distance > 5 GROUP BY f.origin",
	}
	other := []string{
		"SELECT origin, sum(delay) AS s FROM flights WHERE distance > 6 GROUP BY origin",
		"SELECT origin, avg(delay) AS s FROM flights WHERE distance > 5 GROUP BY origin",
		"SELECT destination, sum(delay) AS s FROM flights WHERE distance > 5 GROUP BY destination",
	}
	want := print(base, delta.Options{})
	if print(base, delta.Options{FromEmpty: true, Rows: map[uint64]int64{1: 5}}) != want {
		t.Error("the folding or statistics count")
	}
	for _, s := range same {
		if print(s, delta.Options{}) != want {
			t.Errorf("other fingerprint: %s", s)
		}
	}
	for _, s := range other {
		if print(s, delta.Options{}) == want {
			t.Errorf("same fingerprint: %s", s)
		}
	}
}

// A stored plan that points outside of itself is refused.
func TestBrokenPlans(t *testing.T) {
	n, err := bind("SELECT a.state, count(*) AS n FROM flights AS f JOIN airports AS a ON f.origin = a.iata GROUP BY a.state")
	if err != nil {
		t.Fatal(err)
	}
	p, _ := delta.Derive(n, delta.Options{})
	good, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	for _, edit := range [][2]string{
		{`"layout":1`, `"layout":2`}, {`"op":"lookup"`, `"op":"guess"`}, {`"state":0`, `"state":7`}, {`"input":1`, `"input":9`},
		{`"arranged":0`, `"arranged":3`}, {`"root":{`, `"rood":{`},
	} {
		bad := strings.ReplaceAll(string(good), edit[0], edit[1])
		if bad == string(good) {
			t.Errorf("%s does not occur", edit[0])
			continue
		}
		if err := json.Unmarshal([]byte(bad), new(delta.Plan)); err == nil {
			t.Errorf("%s is accepted", edit[1])
		}
	}
}
