package load

import (
	"encoding/binary"
	"hash/crc32"
	"io"
	"slices"

	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/compress"
	"github.com/apache/arrow/go/v17/parquet/file"
	"github.com/apache/arrow/go/v17/parquet/metadata"
	"github.com/klauspost/compress/zstd"

	"github.com/ivmc/ivmc/zset"
)

// The reader of Parquet takes the memory for a list of the footer, and for a page and
// for what is packed in it, by what their heads say. What stands here looks first.
// https://parquet.apache.org/docs/file-format/

const (
	parquetTail  = 8         // the length of the footer, and the magic
	pageHeadStep = 4 << 10   // how much of a page is read for its head, at first
	maxPageHead  = 16 << 20  // the longest that the reader takes
	maxShort     = 100       // by which old writers count a chunk short: the head of a dictionary
	maxPages     = 768 << 20 // of a page of every column, unpacked: they are in memory together
)

// checkParquetFooter refuses one whose lists are longer than itself.
func checkParquetFooter(f io.ReaderAt, size int64) error {
	var tail [parquetTail]byte
	if size < parquetTail {
		return badFile("damaged parquet file: it has no footer")
	}
	if _, err := f.ReadAt(tail[:], size-parquetTail); err != nil {
		return err
	}
	n := int64(binary.LittleEndian.Uint32(tail[:]))
	if string(tail[4:]) != "PAR1" || n > size-parquetTail {
		return badFile("damaged parquet file: it has no footer")
	}
	footer := make([]byte, n)
	if _, err := f.ReadAt(footer, size-parquetTail-n); err != nil {
		return err
	}
	t := thrift{b: footer}
	if t.skip(thriftStruct, 0); t.bad {
		return badFile("damaged parquet file: its footer promises more than it holds")
	}
	return nil
}

// checkPages refuses a file whose footer points outside of it, which the reader meets
// in a goroutine of its own, whose panic nobody could catch; and pages that promise
// more than they can hold. Old writers count a chunk some bytes short.
func checkPages(f io.ReaderAt, pf *file.Reader, size int64) error {
	short := int64(0) // the bytes that may be missing
	if pf.MetaData().WriterVersion().LessThan(metadata.Parquet816FixedVersion) {
		short = maxShort
	}
	for g := range pf.NumRowGroups() {
		group := pf.MetaData().RowGroup(g)
		if have, want := group.NumColumns(), pf.MetaData().Schema.NumColumns(); have != want {
			return badFile("damaged parquet file: row group %d has %d columns in place of %d", g+1, have, want)
		}
		together := int64(0)
		for c := range group.NumColumns() {
			chunk, err := group.ColumnChunk(c)
			if err != nil {
				return badFile("damaged parquet file: %v", err)
			}
			if is, want := chunk.Type(), pf.MetaData().Schema.Column(c).PhysicalType(); is != want {
				return badFile("damaged parquet file: column %d of row group %d is of type %s in place of %s", c+1, g+1, is, want)
			}
			start := chunk.DataPageOffset()
			if chunk.HasDictionaryPage() && chunk.DictionaryPageOffset() > 0 && chunk.DictionaryPageOffset() < start {
				start = chunk.DictionaryPageOffset()
			}
			n := chunk.TotalCompressedSize()
			if start < 0 || n < 0 || start > size || n > size-start {
				return badFile("damaged parquet file: column %d of row group %d lies outside of it", c+1, g+1)
			}
			if chunk.CryptoMetadata() != nil {
				return zset.Errorf("0A000", -1, "the parquet file is encrypted, which cannot be read")
			}
			if err := readable(chunk); err != nil {
				return err
			}
			if chunk.NumValues() == 0 { // it may say that it begins nowhere
				continue
			}
			longest, values := int64(0), int64(0)
			at, end := start, start+n
			for at < end {
				p, err := readPageHead(f, at, size)
				if err == nil {
					err = p.check(f, chunk.Compression(), size)
				}
				if err != nil {
					return badFile("damaged parquet file: column %d of row group %d: %v", c+1, g+1, err)
				}
				longest, at = max(longest, p.unpacked), p.at+p.packed
				values += p.rows
			}
			if at > end+short {
				return badFile("damaged parquet file: column %d of row group %d has pages of %d bytes in place of %d", c+1, g+1, at-start, n)
			}
			if values != chunk.NumValues() {
				return badFile("damaged parquet file: column %d of row group %d has pages of %d values in place of %d", c+1, g+1, values, chunk.NumValues())
			}
			together += longest
		}
		if together > maxPages {
			return badFile("parquet file with pages of more than 768 MiB: unpacked, one of every column of row group %d takes %d bytes", g+1, together)
		}
	}
	return nil
}

// readable refuses what the library does not read; of some encodings it finds no rows
// and no error.
func readable(chunk *metadata.ColumnChunkMetaData) error {
	how, known := chunk.Compression().String(), slices.Contains(codecs(), chunk.Compression())
	if known {
		for _, e := range chunk.Encodings() {
			if !slices.Contains(encodings(), e) || e == parquet.Encodings.DeltaByteArray && chunk.Type() == parquet.Types.FixedLenByteArray {
				how, known = e.String(), false
			}
		}
	}
	if known {
		return nil
	}
	e := zset.Errorf("0A000", -1, "column %q of the parquet file is written as %s, which cannot be read", chunk.PathInSchema(), how)
	e.Hint = "Write the file by SNAPPY, GZIP, BROTLI, ZSTD or LZ4_RAW, and plain or by dictionaries."
	return e
}

func codecs() []compress.Compression {
	c := compress.Codecs
	return []compress.Compression{c.Uncompressed, c.Snappy, c.Gzip, c.Brotli, c.Zstd, lz4Raw}
}

func encodings() []parquet.Encoding {
	e := parquet.Encodings
	return []parquet.Encoding{e.Plain, e.PlainDict, e.RLE, e.RLEDict, e.BitPacked, e.DeltaBinaryPacked, e.DeltaByteArray, e.DeltaLengthByteArray}
}

// pageHead is what the head of a page says.
type pageHead struct {
	at               int64 // of what is behind the head
	packed, unpacked int64 // bytes
	levels           int64 // bytes before what is packed
	values           int64 // of a dictionary
	rows             int64 // values of other pages, NULLs among them
	summed           bool
	sum              uint32 // CRC-32 of what is behind the head, if summed
	plain            bool   // nothing is packed
}

// The fields of heads that are read.
const (
	pageKind, pageUnpacked, pagePacked, pageSum, pageData, pageDictionary, pageData2 = 1, 2, 3, 4, 5, 7, 8
	pageValues                                                                       = 1 // of all kinds
	data2Definition, data2Repetition, data2Packed                                    = 5, 6, 7
)

// pageFields are those that the head of each kind of page has.
var pageFields = func() map[int64]int {
	const all = 1<<pageKind | 1<<pageUnpacked | 1<<pagePacked
	return map[int64]int{0: all | 1<<pageData, 1: all, 2: all | 1<<pageDictionary, 3: all | 1<<pageData2}
}()

func readPageHead(f io.ReaderAt, at, size int64) (*pageHead, error) {
	for step := int64(pageHeadStep); ; step *= 2 {
		b := make([]byte, min(step, size-at))
		if _, err := f.ReadAt(b, at); err != nil && err != io.EOF {
			return nil, err
		}
		var p pageHead
		t := thrift{b: b}
		page, fields := int64(-1), 0 // the kind of the page; which fields are there
		t.fields(func(id int64, kind byte) {
			if id >= pageKind && id <= pageData2 {
				fields |= 1 << id
			}
			switch {
			case id == pageKind && kind == thriftI32:
				page = t.integer()
			case id == pageUnpacked && kind == thriftI32:
				p.unpacked = t.integer()
			case id == pagePacked && kind == thriftI32:
				p.packed = t.integer()
			case id == pageSum && kind == thriftI32:
				p.summed, p.sum = true, uint32(t.integer())
			case id == pageData && kind == thriftStruct:
				t.fields(count(&t, &p.rows))
			case id == pageDictionary && kind == thriftStruct:
				t.fields(count(&t, &p.values))
			case id == pageData2 && kind == thriftStruct:
				t.fields(p.data2(&t))
			default:
				t.skip(kind, 0)
			}
		})
		if !t.bad {
			if want, ok := pageFields[page]; !ok || fields&want != want {
				return nil, badFile("a page whose head is not that of one")
			}
			p.at = at + int64(t.at)
			return &p, nil
		}
		if step >= maxPageHead || step >= size-at {
			return nil, badFile("a page without a head")
		}
	}
}

// count reads how many values a page has.
func count(t *thrift, n *int64) func(int64, byte) {
	return func(id int64, kind byte) {
		if id == pageValues && kind == thriftI32 {
			*n = t.integer()
			return
		}
		t.skip(kind, 0)
	}
}

func (p *pageHead) data2(t *thrift) func(int64, byte) {
	return func(id int64, kind byte) {
		switch {
		case id == pageValues && kind == thriftI32:
			p.rows = t.integer()
		case (id == data2Definition || id == data2Repetition) && kind == thriftI32:
			n := t.integer()
			if n < 0 {
				t.bad = true
			}
			p.levels += n
		case id == data2Packed:
			p.plain = kind == thriftFalse
		default:
			t.skip(kind, 0)
		}
	}
}

// check holds the head to the file, and to what is packed behind it.
func (p *pageHead) check(f io.ReaderAt, codec compress.Compression, size int64) error {
	if p.packed < 0 || p.packed > size-p.at || p.unpacked < 0 || p.levels > min(p.packed, p.unpacked) {
		return badFile("a page of %d bytes, %d unpacked, where there is no room for it", p.packed, p.unpacked)
	}
	if (p.plain || codec == compress.Codecs.Uncompressed) && p.packed != p.unpacked {
		return badFile("a page of %d bytes, in which nothing is packed, and %d unpacked", p.packed, p.unpacked)
	}
	if p.values < 0 || p.values > 8*p.unpacked+1 {
		return badFile("a dictionary of %d values in %d bytes", p.values, p.unpacked)
	}
	if p.summed {
		sum := crc32.NewIEEE()
		if _, err := io.Copy(sum, io.NewSectionReader(f, p.at, p.packed)); err != nil {
			return err
		}
		if sum.Sum32() != p.sum {
			return badFile("a page whose checksum is another")
		}
	}
	if p.plain || codec != compress.Codecs.Zstd && codec != compress.Codecs.Snappy {
		return nil
	}
	var head [32]byte
	n, err := f.ReadAt(head[:min(int64(len(head)), p.packed-p.levels)], p.at+p.levels)
	if err != nil && err != io.EOF {
		return err
	}
	said := int64(0)
	if codec == compress.Codecs.Snappy {
		u, _ := binary.Uvarint(head[:n])
		said = int64(min(u, 1<<62))
	} else {
		var h zstd.Header
		if h.Decode(head[:n]) == nil && h.HasFCS {
			said = int64(min(h.FrameContentSize, 1<<62))
		}
	}
	if said > p.unpacked-p.levels {
		return badFile("a page that unpacks to %d bytes, in place of %d", said, p.unpacked-p.levels)
	}
	return nil
}
