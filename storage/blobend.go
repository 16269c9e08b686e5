package storage

import (
	"encoding/binary"
	"hash/crc32"
	"io"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// The end of a file of values, as Pebble writes it: its checksum, 26 bytes of where
// and what, the magic.
const (
	blobEnd   = 38
	blobMagic = "\xf0\x9f\xaa\xb3\xf0\x9f\xa6\x80"
)

// checkBlob looks at the end of a file of values before Pebble does. Where it is
// damaged Pebble panics, for it has no words for the file (v2.1), and in a
// compaction nobody could recover that.
func checkBlob(f vfs.File, name string) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	var b [blobEnd]byte
	at := info.Size() - blobEnd
	if at >= 0 {
		if _, err := f.ReadAt(b[:], at); err != nil && err != io.EOF {
			return err
		}
	}
	if binary.LittleEndian.Uint32(b[:]) != maskedSum(b[4:]) || string(b[blobEnd-len(blobMagic):]) != blobMagic {
		return errorf(ErrCorrupt, codeCorrupt, "the end of file %q is damaged", name)
	}
	return nil
}

// maskedSum is the checksum of Pebble's chunks and footers.
func maskedSum(b []byte) uint32 {
	sum := crc32.Checksum(b, castagnoli)
	return (sum>>15 | sum<<17) + 0xa282ead8
}
