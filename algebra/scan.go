package algebra

import "github.com/ivmc/ivmc/zset"

// Scan is the rows of a stored relation, a table or a materialized view, at
// the TSO of whoever reads. Every occurrence of a relation in a query is a scan
// of its own.
type Scan struct {
	Rel    uint64      // id of the relation
	Name   string      // its name when the query was bound; for people only
	As     string      // the name that the query calls it by: the alias, or Name
	Cols   []int       // the columns that are read, as positions in the relation
	Fields zset.Schema // those columns
	Key    []int       // primary key as positions in the relation (not in Cols); nil: a bag
	IsView bool
	Addr   bool // the result has a last column _addr BIGINT: the address of the row version
	Pos    int32
	// Reading is what is read if not the rows of the reader's TSO; nil: those.
	Reading *Reading
}

// AddrName is the name of the column that [Scan].Addr adds.
const AddrName = "_addr"

// Schema is Fields, and _addr if asked for.
func (s *Scan) Schema() zset.Schema {
	if !s.Addr {
		return s.Fields
	}
	return append(s.Fields[:len(s.Fields):len(s.Fields)], zset.Field{Name: AddrName, Type: zset.TInt8, NotNull: true})
}

// Inputs is nil: a scan is a leaf.
func (s *Scan) Inputs() []Node { return nil }

func (s *Scan) with([]Node) Node { c := *s; return &c }

func (s *Scan) eval(o *oracle) (*zset.Batch, error) {
	if s.Reading != nil {
		return nil, zset.Errorf("0A000", int(s.Pos), "the log has no definition by its rows")
	}
	b, err := o.rel(s.Rel)
	if err != nil {
		return nil, err
	}
	out := &zset.Batch{W: b.W, N: b.N}
	for _, c := range s.Cols {
		out.Cols = append(out.Cols, b.Cols[c])
	}
	if s.Addr {
		out.Cols = append(out.Cols, b.Cols[len(b.Cols)-1])
	}
	return out, nil
}

func (s *Scan) line() string {
	out := "scan " + quoteIdent(s.Name)
	if s.As != s.Name {
		out += " as " + quoteIdent(s.As)
	}
	if s.Reading != nil {
		out += s.Reading.line()
	}
	fields := s.Schema()
	return out + " (" + list(len(fields), ", ", func(i int) string { return quoteIdent(fields[i].Name) }) + ")"
}
