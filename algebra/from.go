package algebra

import (
	"fmt"

	"github.com/ivmc/ivmc/ast"
	"github.com/ivmc/ivmc/expr"
	"github.com/ivmc/ivmc/zset"
)

// from binds a FROM list; without one, the query reads one row of no columns.
func (b *binder) from(list []ast.TableExpr, with *cte) (Node, scope) {
	if len(list) == 0 {
		return &Values{Rows: [][]*expr.Expr{{}}}, scope{}
	}
	var ins []Node
	var sc scope
	for i, t := range list {
		if i == 0 {
			n, s := b.tableExpr(t, with)
			ins, sc = append(ins, n), s
			continue
		}
		before := sc
		n, s, l := b.tableBeside(t, &before, with)
		sc = b.beside(sc, s)
		if b.tooMany(sc) { // before the next table of some ten thousand is looked for among those before
			return lost()
		}
		if l != nil {
			ins = []Node{&Apply{L: joinAll(ins), R: n, Params: l.params, Base: l.base, Kind: Each}}
			continue
		}
		ins = append(ins, n)
	}
	return joinAll(ins), sc
}

// joinAll is the join of what a FROM list names.
func joinAll(ins []Node) Node {
	if len(ins) == 1 {
		return ins[0]
	}
	return &Join{Ins: ins}
}

// tooMany reports a join of more tables than there may be.
func (b *binder) tooMany(sc scope) bool {
	if len(sc.tables) <= maxTables {
		return false
	}
	b.errorf(codeTooComplex, sc.tables[maxTables].pos, "statement too complex").Hint =
		fmt.Sprintf("A FROM clause joins up to %d tables; this one has more.", maxTables)
	return true
}

// beside is the scope of a join of two inputs.
func (b *binder) beside(l, r scope) scope {
	r = r.shift(l.width)
	open := l.open || r.open
	for _, t := range r.tables {
		if t.name != "" && l.table(t.name) != nil { // a query needs no name
			open = true // that their columns are ambiguous goes without saying
			b.errorf(codeDuplicateAlias, t.pos, "table name %q specified more than once", t.name)
		}
	}
	return scope{
		cols:   append(l.cols[:len(l.cols):len(l.cols)], r.cols...),
		tables: append(l.tables[:len(l.tables):len(l.tables)], r.tables...),
		width:  l.width + r.width,
		open:   open,
	}
}

func (b *binder) tableExpr(t ast.TableExpr, with *cte) (Node, scope) {
	if !b.count(1, t.Pos()) {
		return lost()
	}
	switch t := t.(type) {
	case *ast.TableRef:
		return b.tableRef(t, with)
	case *ast.FuncTable:
		return b.funcTable(t)
	case *ast.Derived:
		return b.derived(t, with)
	case *ast.Join:
		return b.join(t, with)
	}
	b.unsupported(t.Pos(), "this table expression", "")
	return lost()
}

// lost stands for a part of FROM that could not be bound.
func lost() (Node, scope) { return &Values{}, scope{open: true} }

func (b *binder) tableRef(t *ast.TableRef, with *cte) (Node, scope) {
	as := t.Alias
	if as.Text == "" {
		as = t.Name
	}
	isCall := t.Reading != nil && t.Reading.Kind == ast.ReadCall
	if c := with.find(t.Name.Text); c != nil && t.Schema.Text == "" && !isCall {
		if c.node == nil || !b.count(c.size, t.Pos()) {
			_, sc := lost()
			sc.tables = []scopeTable{{name: as.Text, pos: t.Pos()}}
			return &Values{}, sc
		}
		return b.entry(clone(c.node), as, t.Columns, nil, t.Pos())
	}
	r, ok := b.relationOf(t, with)
	if !ok {
		_, sc := lost()
		return &Values{}, sc
	}
	if isCall {
		b.called = t.Reading.Params
		n, ok := b.defined(r, t.Pos())
		b.called = nil
		if !ok {
			return lost()
		}
		return b.entry(n, as, t.Columns, nil, t.Pos())
	}
	asks := b.asksCommit && b.env.Read != nil && r.Define == nil && r.ID != 0
	if t.Reading != nil || r.Stream != 0 || asks {
		n, sc := b.reading(r, t, as)
		if t.Alias.Text == "" {
			sc.inSchema(t.Schema.Text)
		}
		return n, sc
	}
	n, key := Node(scan(r, as.Text, t.Pos())), r.Key
	if r.Define != nil {
		if n, ok = b.defined(r, t.Pos()); !ok {
			return lost()
		}
		key = nil
	}
	n, sc := b.entry(n, as, t.Columns, key, t.Pos())
	if t.Alias.Text == "" {
		sc.inSchema(t.Schema.Text)
	}
	return n, sc
}

// entry is an entry of FROM with the names that its alias gives.
func (b *binder) entry(n Node, as ast.Name, names []ast.Name, key []int, pos ast.Pos) (Node, scope) {
	errs := len(b.errs)
	n = b.rename(n, as, names)
	sc := newScope(as.Text, n, key, pos)
	sc.open = len(b.errs) > errs
	return n, sc
}

// qualified is the name that the catalog knows a table by: that of its schema
// stands before it, but for public.
func qualified(schema, name ast.Name) ast.Name {
	if schema.Text == "" || schema.Text == "public" {
		return name
	}
	return ast.Name{At: schema.At, Text: schema.Text + "." + name.Text}
}

// relationOf finds what an entry of FROM names.
func (b *binder) relationOf(t *ast.TableRef, with *cte) (Relation, bool) {
	if t.Reading == nil || t.Reading.Kind != ast.ReadCall {
		if t.Schema.Text != "" {
			with = nil
		}
		return b.relation(qualified(t.Schema, t.Name), with)
	}
	if b.env.Catalog != nil {
		if r, ok := b.env.Catalog.Relation(FunctionPrefix + t.Name.Text); ok && r.Define != nil {
			return r, true
		}
	}
	b.errorf(codeNoOperator, t.Pos(), "function %s does not exist, or gives no rows", t.Name.Text)
	return Relation{}, false
}

// relation looks a table or view up; 42P01. The name was none of the queries of with.
func (b *binder) relation(name ast.Name, with *cte) (Relation, bool) {
	if b.env.Catalog != nil {
		if r, ok := b.env.Catalog.Relation(name.Text); ok {
			return r, true
		}
	}
	e := b.errorf(codeNoTable, name.Pos(), "relation %q does not exist", name.Text)
	if l, ok := b.env.Catalog.(Lister); ok {
		e.Hint = MaybeMeant(name.Text, func(yield func(string) bool) {
			for c := with; c != nil; c = c.parent {
				if !yield(c.name) {
					return
				}
			}
			l.Names()(yield)
		})
	}
	return Relation{}, false
}

// scan reads all columns of r.
func scan(r Relation, as string, pos ast.Pos) *Scan {
	s := &Scan{Rel: r.ID, Name: r.Name, As: as, Fields: r.Schema, Key: r.Key, IsView: r.IsView, Pos: int32(pos)}
	for i := range r.Schema {
		s.Cols = append(s.Cols, i)
	}
	return s
}

func (b *binder) derived(t *ast.Derived, with *cte) (Node, scope) {
	errs := len(b.errs)
	n, sc := b.entry(b.query(t.Query, with, false), t.Alias, t.Columns, nil, t.Pos())
	sc.open = sc.open || len(b.errs) > errs && len(sc.cols) == 0
	return n, sc
}

func (b *binder) join(t *ast.Join, with *cte) (Node, scope) {
	ln, l := b.tableExpr(t.Left, with)
	before := l
	rn, r, lateral := b.tableBeside(t.Right, &before, with)
	sc := b.beside(l, r)
	if b.tooMany(sc) {
		return lost()
	}
	if t.On != nil && lateral == nil {
		n := b.joinedOn(t.On, t.Kind, ln, rn, &sc, with)
		return n, sc
	}
	var on []*expr.Expr
	using := t.Using
	if t.Natural {
		using = common(l, r, t.At)
	}
	if t.Natural || len(t.Using) > 0 {
		sc.cols, on = b.using(using, t.Kind, l, r.shift(l.width))
	}
	if lateral != nil {
		n := b.applied(t, ln, rn, lateral, on, &sc, with)
		return n, sc
	}
	return joinOf(t.Kind, ln, rn, on), sc
}

// common lists the names that both sides have, in the order of the left one.
func common(l, r scope, at ast.At) []ast.Name {
	var out []ast.Name
	for _, c := range l.cols {
		if !c.hidden && len(columnsNamed(r.cols, c.name)) > 0 {
			out = append(out, ast.Name{At: at, Text: c.name})
		}
	}
	return out
}

// using merges the columns of the given names: * shows them first and once, and
// the bare name is unique. r speaks of the columns of the join already.
func (b *binder) using(names []ast.Name, kind ast.JoinKind, l, r scope) (cols []scopeCol, on []*expr.Expr) {
	merged := map[string]bool{}
	for _, name := range names {
		if merged[name.Text] {
			b.errorf(codeDuplicateColumn, name.Pos(), "column name %q appears more than once in USING clause", name.Text)
			continue
		}
		merged[name.Text] = true
		lc, lok := b.usingSide(name, l, "left")
		rc, rok := b.usingSide(name, r, "right")
		if !lok || !rok {
			continue
		}
		eq, err := expr.Call("=", []*expr.Expr{lc.e, rc.e}, int(name.Pos()))
		if err != nil {
			b.fail(err, name.Pos())
			continue
		}
		on = append(on, eq)
		e := lc.e
		if both, _, err := expr.Unify([]*expr.Expr{lc.e, rc.e}, "JOIN/USING", int(name.Pos())); err == nil {
			e = b.merged(kind, both, name.Pos())
		}
		cols = append(cols, scopeCol{lc.table, name.Text, e, false})
	}
	for _, side := range []scope{l, r} {
		for _, c := range side.cols {
			if !merged[c.name] {
				cols = append(cols, c)
			}
		}
	}
	return cols, on
}

// merged is the column that USING makes of two: of the side whose rows all show,
// or whichever is there.
func (b *binder) merged(kind ast.JoinKind, both []*expr.Expr, pos ast.Pos) *expr.Expr {
	switch kind {
	case ast.RightJoin:
		return both[1]
	case ast.FullJoin:
		if e := b.callOn("coalesce", pos, both); e != nil {
			return e
		}
	}
	return both[0]
}

func (b *binder) usingSide(name ast.Name, s scope, side string) (scopeCol, bool) {
	found := columnsNamed(s.cols, name.Text)
	switch {
	case len(found) == 1:
		return found[0], true
	case len(found) > 1:
		b.errorf(codeAmbiguousColumn, name.Pos(), "common column name %q appears more than once in %s table", name.Text, side)
	case !s.open:
		b.errorf(zset.CodeNoColumn, name.Pos(), "column %q specified in USING clause does not exist in %s table", name.Text, side)
	}
	return scopeCol{}, false
}

// conjuncts splits e at its outermost ANDs.
func conjuncts(e *expr.Expr) []*expr.Expr {
	if e.Op != expr.OpAnd {
		return []*expr.Expr{e}
	}
	var out []*expr.Expr
	for _, a := range e.Args {
		out = append(out, conjuncts(a)...)
	}
	return out
}
