package load

import (
	"errors"
	"io"

	"github.com/apache/arrow/go/v17/parquet/compress"
	"github.com/pierrec/lz4/v4"
)

// lz4Raw is what writers of Parquet mean today by LZ4: a page is one block, without a
// frame. The library names it and has no codec for it.
// https://github.com/apache/parquet-format/blob/master/Compression.md
const lz4Raw compress.Compression = 7

func init() { compress.RegisterCodec(lz4Raw, lz4Blocks{}) }

// lz4Blocks unpacks pages. Nothing is written by it, and nothing is a stream.
type lz4Blocks struct{}

// Decode fills dst, whose length the head of the page gives. The library asks for a
// panic where a page is damaged, as all of its codecs do.
func (lz4Blocks) Decode(dst, src []byte) []byte {
	if len(dst) == 0 {
		return dst // the levels stand before it, and no value is there
	}
	if n, err := lz4.UncompressBlock(src, dst); err != nil || n != len(dst) {
		panic(errors.New("lz4: a page that does not unpack to the length that it says"))
	}
	return dst
}

func (lz4Blocks) NewReader(io.Reader) io.ReadCloser  { panic(errors.ErrUnsupported) }
func (lz4Blocks) NewWriter(io.Writer) io.WriteCloser { panic(errors.ErrUnsupported) }
func (lz4Blocks) NewWriterLevel(io.Writer, int) (io.WriteCloser, error) {
	return nil, errors.ErrUnsupported
}
func (lz4Blocks) Encode(dst, src []byte) []byte                 { panic(errors.ErrUnsupported) }
func (lz4Blocks) EncodeLevel(dst, src []byte, level int) []byte { panic(errors.ErrUnsupported) }
func (lz4Blocks) CompressBound(n int64) int64                   { return int64(lz4.CompressBlockBound(int(n))) }
