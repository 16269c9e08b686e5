package ast

import "github.com/ivmc/ivmc/grammar/gen"

// plainRun is a run of constants that was read without the parser: rows of
// VALUES, or the start of an IN list as one row. INSERT with a million constants
// and IN with as many would cost the parser a node for each comma.
type plainRun struct {
	rows       [][]Expr // a nil cell is DEFAULT
	odd        bool     // some row is not as wide as the first
	oddAt      Pos      // the first such row
	end        int      // byte behind its last word
	hasDefault bool
	defaultAt  Pos // the first DEFAULT
}

// plainReader finds the places where a run may start, and reads it.
type plainReader struct {
	inValues []bool // per level of parentheses: VALUES was seen and nothing but rows since
	last     int    // kind of the last token
	cells    []Expr
	literals []Literal
}

func newPlainReader() *plainReader { return &plainReader{inValues: []bool{false}} }

// saw takes note of a token that the parser will see.
func (r *plainReader) saw(kind int) {
	top := len(r.inValues) - 1
	switch kind {
	case gen.IVMVALUES:
		r.inValues[top] = true
	case gen.IVMLPAREN:
		r.inValues = append(r.inValues, false)
	case gen.IVMRPAREN:
		if top > 0 {
			r.inValues = r.inValues[:top]
		}
	case gen.IVMCOMMA:
	default:
		r.inValues[top] = false
	}
	r.last = kind
}

// read gives a token for the run that starts here, or nil and the scanner where
// it was.
func (r *plainReader) read(s *scanner, list []token) *token {
	switch r.last {
	case gen.IVMVALUES, gen.IVMCOMMA:
		if !r.inValues[len(r.inValues)-1] {
			return nil
		}
		return r.rows(s)
	case gen.IVMLPAREN:
		if n := len(list); n < 2 || list[n-2].kind != gen.IVMIN {
			return nil
		}
		return r.list(s)
	}
	return nil
}

func (r *plainReader) rows(s *scanner) *token {
	run := &plainRun{}
	var t *token
	for {
		before := *s
		if t != nil {
			if s.next().kind != gen.IVMCOMMA {
				*s = before
				return t
			}
		}
		open := s.next()
		row, at, ok := []Expr(nil), Pos(0), false
		if open.kind == gen.IVMLPAREN {
			row, at, ok = r.row(s, run)
		}
		if !ok {
			*s = before
			return t
		}
		if t == nil {
			open.kind = gen.IVMPLAIN_ROWS
			t = &token{lexeme: open, plain: run}
			r.last = gen.IVMPLAIN_ROWS
		}
		run.rows = append(run.rows, row)
		run.end = s.off
		if len(row) != len(run.rows[0]) && !run.odd {
			run.odd, run.oddAt = true, at
		}
	}
}

// row reads the cells and the closing parenthesis. at is the place of the first cell.
func (r *plainReader) row(s *scanner, run *plainRun) (cells []Expr, at Pos, ok bool) {
	n := 0
	for {
		cell, l, ok := r.cell(s)
		if !ok {
			return nil, 0, false
		}
		if n == 0 {
			at = l.pos
		}
		if cell == nil && !run.hasDefault {
			run.hasDefault, run.defaultAt = true, l.pos
		}
		r.push(cell, n)
		n++
		switch s.next().kind {
		case gen.IVMCOMMA:
		case gen.IVMRPAREN:
			end := len(r.cells)
			return r.cells[end-n : end : end], at, true
		default:
			return nil, 0, false
		}
	}
}

// list reads constants up to the closing parenthesis, which stays, or to the
// first item that is none, with the comma before it.
func (r *plainReader) list(s *scanner) *token {
	var t *token
	n, behind := 0, 0
	for {
		before := *s
		if n > 0 {
			if s.next().kind != gen.IVMCOMMA {
				*s = before
				break
			}
		}
		cell, first, ok := r.cell(s)
		item := *s
		follow := s.next().kind
		if !ok || cell == nil || follow != gen.IVMCOMMA && follow != gen.IVMRPAREN {
			*s = before
			break
		}
		*s = item
		behind = s.off
		r.push(cell, n)
		n++
		if t == nil {
			first.kind = gen.IVMPLAIN_LIST
			t = &token{lexeme: first}
		}
	}
	if t != nil {
		end := len(r.cells)
		t.plain = &plainRun{rows: [][]Expr{r.cells[end-n : end : end]}, end: behind}
		r.last = gen.IVMPLAIN_LIST
	}
	return t
}

// push adds the n-th cell of a row. Rows lie whole in one block.
func (r *plainReader) push(e Expr, n int) {
	if len(r.cells) == cap(r.cells) {
		block := make([]Expr, n, max(1024, 2*n))
		copy(block, r.cells[len(r.cells)-n:])
		r.cells = block
	}
	r.cells = append(r.cells, e)
}

// cell reads one constant: a number with or without a sign, a string, TRUE,
// FALSE, NULL, $n, DATE '..' and its like; nil for DEFAULT. What follows it is
// the caller's to judge.
func (r *plainReader) cell(s *scanner) (Expr, lexeme, bool) {
	l := s.next()
	at := At{l.pos}
	switch l.kind {
	case gen.IVMNUMBER:
		return r.literal(at, NumberLit, l.value), l, true
	case gen.IVMSTRING:
		return r.literal(at, StringLit, l.value), l, true
	case gen.IVMNULL:
		return r.literal(at, NullLit, ""), l, true
	case gen.IVMTRUE, gen.IVMFALSE:
		return r.literal(at, BoolLit, l.value), l, true
	case gen.IVMDEFAULT:
		return nil, l, true
	case gen.IVMPLUS, gen.IVMMINUS:
		if num := s.next(); num.kind == gen.IVMNUMBER {
			return &Unary{At: at, Op: l.value, X: r.literal(At{num.pos}, NumberLit, num.value)}, l, true
		}
	case gen.IVMIDENT, gen.IVMTIMESTAMP, gen.IVMTIME, gen.IVMINTERVAL:
		if str := s.next(); str.kind == gen.IVMSTRING {
			return &TypedLiteral{At: at, Type: TypeName{At: at, Name: l.value}, Text: str.value, Str: str.pos}, l, true
		}
	case gen.IVMPARAM:
		if n, ok := paramNumber(l.value); ok {
			return &Param{At: at, N: n}, l, true
		}
	}
	return nil, l, false
}

func (r *plainReader) literal(at At, kind LiteralKind, text string) Expr {
	if len(r.literals) == cap(r.literals) {
		r.literals = make([]Literal, 0, 1024)
	}
	r.literals = append(r.literals, Literal{At: at, Kind: kind, Text: text})
	return &r.literals[len(r.literals)-1]
}
