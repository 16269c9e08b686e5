package load

import (
	"bytes"
	"errors"
	"io"

	"github.com/andybalholm/brotli"
	"github.com/apache/arrow/go/v17/parquet/compress"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// The library's codecs of Parquet stop where they have what they were asked for, so
// that a damaged page is other values and no error: the checksum of gzip stands behind
// them, and what brotli, or a page of the second kind, has too little or too much is
// not seen. Those that stand here in their place hold a page to the length that its
// head says, and to its own end.
func init() {
	c := compress.Codecs
	for kind, unpack := range map[compress.Compression]func(dst, src []byte) (int, error){
		c.Gzip: func(dst, src []byte) (int, error) {
			r, err := gzip.NewReader(bytes.NewReader(src))
			if err != nil {
				return 0, err
			}
			return toItsEnd(r, dst)
		},
		c.Brotli: func(dst, src []byte) (int, error) { return toItsEnd(brotli.NewReader(bytes.NewReader(src)), dst) },
		c.Zstd: func(dst, src []byte) (int, error) {
			out, err := unzstd.DecodeAll(src, dst[:0:len(dst)])
			return len(out), err
		},
		lz4Raw: func(dst, src []byte) (int, error) { return lz4.UncompressBlock(src, dst) },
	} {
		library, err := compress.GetCodec(kind)
		if kind != lz4Raw && err != nil {
			panic(err)
		}
		compress.RegisterCodec(kind, exact{library, unpack})
	}
	library, err := compress.GetCodec(c.Snappy)
	if err != nil {
		panic(err)
	}
	compress.RegisterCodec(c.Snappy, exact{library, func(dst, src []byte) (int, error) {
		return len(library.Decode(dst, src)), nil
	}})
}

// lz4Raw is what writers of Parquet mean today by LZ4: a page is one block, without a
// frame. The library names it and has no codec for it.
// https://github.com/apache/parquet-format/blob/master/Compression.md
const lz4Raw compress.Compression = 7

// unzstd unpacks no more than there is room for.
var unzstd, _ = zstd.NewReader(nil, zstd.WithDecodeAllCapLimit(true))

// exact is a codec that unpacks all of a page, and nothing else. The rest of it is the
// library's; of LZ4 there is no rest.
type exact struct {
	compress.Codec
	unpack func(dst, src []byte) (int, error)
}

// Decode fills dst, whose length the head of the page gives. The library asks for a
// panic where a page is damaged.
func (c exact) Decode(dst, src []byte) []byte {
	if len(dst) == 0 {
		return dst // the levels stand before it, and no value is there
	}
	n, err := c.unpack(dst, src)
	if err == nil && n != len(dst) {
		err = errors.New("a page that does not unpack to the length that it says")
	}
	if err != nil {
		panic(err)
	}
	return dst
}

// toItsEnd fills dst, and has r end there.
func toItsEnd(r io.Reader, dst []byte) (int, error) {
	n, err := io.ReadFull(r, dst)
	if err != nil {
		return n, err
	}
	var more [1]byte
	switch m, err := io.ReadFull(r, more[:]); {
	case m > 0:
		return n + m, nil
	case err != io.EOF:
		return n, err
	}
	return n, nil
}
