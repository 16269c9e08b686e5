package load

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/file"
	"github.com/apache/arrow/go/v17/parquet/pqarrow"

	"github.com/ivmc/ivmc/zset"
)

func newParquetReader(s *Source, want zset.Schema) (r *recordReader, err error) {
	defer guard(&err, FormatParquet)
	r = &recordReader{s: s, format: FormatParquet}
	if err := checkParquetFooter(s.file, s.size); err != nil {
		return nil, err
	}
	mem := &claims{Allocator: memory.DefaultAllocator, most: maxClaimRows}
	r.mem = mem
	pf, err := file.NewParquetReader(s.file, file.WithReadProps(parquet.NewReaderProperties(mem)))
	if err != nil {
		return nil, badFile("damaged parquet file: %s", wordsOf(err))
	}
	if err := checkPages(s.file, pf, s.size); err != nil {
		return nil, err
	}
	if err := checkInt96(pf, mem); err != nil {
		return nil, err
	}
	mem.taken = 0
	for _, kv := range pf.MetaData().KeyValueMetadata() {
		if kv.Key == arrowSchema {
			kv.Key = ""
		}
	}
	pr, err := pqarrow.NewFileReader(pf, pqarrow.ArrowReadProperties{BatchSize: rowsAtOnce(pf)}, mem)
	if err != nil {
		return nil, badFile("damaged parquet file: %s", wordsOf(err))
	}
	g := &rowGroups{s: s, file: pf, pr: pr, mem: mem}
	r.next = g.next
	var fields []arrow.Field
	for _, f := range pr.Manifest.Fields {
		field, as, err := fieldOf(f, pf.MetaData().Schema)
		if err != nil {
			return nil, err
		}
		fields, r.as = append(fields, field), append(r.as, as)
	}
	return r, r.columns(arrow.NewSchema(fields, nil), want)
}

// arrowSchema is where a writer of Arrow keeps its own schema. It is not read: the
// schema of Parquet says what is there, and the library believes the lengths in the
// other one, gives up on types that it does not know, and on NULL in lists that have
// one length.
const arrowSchema = "ARROW:schema"

// rowGroups reads one after another, each by a reader of its own: where the library
// meets an error in a page it only ends, so that the rows are counted.
type rowGroups struct {
	s    *Source
	file *file.Reader
	pr   *pqarrow.FileReader
	mem  *claims

	at   int                  // the group that is next
	rr   pqarrow.RecordReader // nil: between two
	left int64                // rows of rr that did not come yet
	seen int64                // of all
}

func (g *rowGroups) next() (arrow.Record, error) {
	if g.file.MetaData().Schema.NumColumns() == 0 { // the library asks for one
		if n := g.file.NumRows(); n != 0 {
			return nil, fmt.Errorf("%d rows without a column", n)
		}
		return nil, io.EOF
	}
	for {
		g.mem.taken = 0
		if g.rr == nil {
			if g.at == g.file.NumRowGroups() {
				return nil, io.EOF
			}
			rr, err := g.pr.GetRecordReader(context.Background(), nil, []int{g.at})
			if err != nil {
				return nil, err
			}
			g.at++
			g.rr, g.left = rr, g.file.MetaData().RowGroup(g.at-1).NumRows()
		}
		rec, err := g.rr.Read()
		if errors.Is(err, io.EOF) {
			if g.left != 0 {
				return nil, fmt.Errorf("row group %d ends %d rows early", g.at, g.left)
			}
			g.rr.Release()
			g.rr = nil
			continue
		}
		if err != nil {
			return nil, err
		}
		g.left -= rec.NumRows()
		g.seen += rec.NumRows()
		if total := g.file.NumRows(); total > 0 {
			g.s.done.Store(g.s.size * min(g.seen, total) / total)
		}
		return rec, nil
	}
}

// rowsAtOnce is how many rows of a file are taken at a time: of wide ones, as their
// averages are, fewer; but whole row groups where a column of BIGINT is
// DELTA_BINARY_PACKED, in which the library loses its place between two reads.
func rowsAtOnce(pf *file.Reader) int64 {
	const usual, least, aim = 16 * batchRows, 256, 64 << 20
	rows, most := int64(usual), int64(1)
	for g := range pf.NumRowGroups() {
		group := pf.MetaData().RowGroup(g)
		most = max(most, group.NumRows())
		if group.TotalByteSize() > 0 && group.NumRows() > 0 {
			rows = min(rows, aim/max(group.TotalByteSize()/group.NumRows(), 1))
		}
	}
	rows = min(max(rows, least), most) // the library makes room for as many, for each group anew
	for g := range pf.NumRowGroups() {
		group := pf.MetaData().RowGroup(g)
		for c := range group.NumColumns() {
			chunk, err := group.ColumnChunk(c)
			if err == nil && chunk.Type() == parquet.Types.Int64 && slices.Contains(chunk.Encodings(), parquet.Encodings.DeltaBinaryPacked) {
				rows = max(rows, group.NumRows())
			}
		}
	}
	return rows
}
