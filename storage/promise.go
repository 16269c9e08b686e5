package storage

import (
	"encoding/binary"
	"io"
	"strconv"
	"strings"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// A promise is the TSO up to which all was on the disk when a commit was written.
// It is the first thing in the batch of the commit, for the log alone: no table
// has it.
//
// Pebble ends its newest log at the first chunk that it cannot read, which after a
// crash is what was not synced. If one of the chunks behind it promises more than
// what stands before it, the chunk was not torn but damaged, and to go on would
// drop acknowledged commits in silence. (Pebble's own promises, the sync offsets of
// its chunks, count whole blocks out, are not in the first log of a store, and are
// not looked for in the block of the damage.) Of what was written last there is no
// promise: to tell its damage from a torn end takes the mark of a clean end.
const (
	batchHeader  = 12 // of Pebble's batches: sequence number, count
	kindLogData  = 3
	promiseBytes = 1 + 1 + 8 // kind, length, TSO

	walBlock    = 32 << 10 // a chunk lies within one
	logHeader   = 11       // checksum 4, length 2, encoding 1, number of the log 4
	logSyncMore = 8        // and the sync offset

	encodingFull, encodingFirst         = 5, 6 // 7, 8: middle, last
	encodingSyncFull, encodingSyncFirst = 9, 10
	encodingSyncLast                    = 12
)

// promise puts s's promise into an empty batch, if it is more than the one before.
// Under s.mu.
func (s *Store) promise(batch *pebble.Batch) error {
	d := s.durable.Load()
	if d <= s.promised {
		return nil
	}
	s.promised = d
	return batch.LogData(binary.BigEndian.AppendUint64(nil, d), nil)
}

// onDisk notes that all commits up to tso are on the disk.
func (s *Store) onDisk(tso TSO) {
	for {
		d := s.durable.Load()
		if d >= uint64(tso) || s.durable.CompareAndSwap(d, uint64(tso)) {
			return
		}
	}
}

// newestLog is the name of Pebble's newest log in dir; "" if there is none.
func newestLog(fs vfs.FS, dir string) (name string, number uint32, err error) {
	names, err := fs.List(dir)
	if err != nil {
		return "", 0, err
	}
	for _, n := range names {
		digits, ok := strings.CutSuffix(fs.PathBase(n), ".log")
		if v, err := strconv.ParseUint(digits, 10, 32); ok && err == nil && (name == "" || uint32(v) > number) {
			name, number = n, uint32(v)
		}
	}
	return name, number, nil
}

// readPromise is the largest promise of the whole chunks of a log, wherever they
// lie. What a whole chunk holds is not searched: texts of users promise nothing.
func readPromise(fs vfs.FS, path string, number uint32) (TSO, error) {
	f, err := fs.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	most := uint64(0)
	for buf := make([]byte, walBlock); ; {
		n, err := io.ReadFull(f, buf)
		for b := buf[:n]; len(b) > logHeader; {
			payload, first, size := logChunk(b, number)
			if size == 0 { // not a chunk, or not whole
				b = b[1:]
				continue
			}
			if first && len(payload) >= batchHeader+promiseBytes && payload[batchHeader] == kindLogData && payload[batchHeader+1] == 8 {
				most = max(most, binary.BigEndian.Uint64(payload[batchHeader+2:]))
			}
			b = b[size:]
		}
		switch err {
		case nil:
		case io.EOF, io.ErrUnexpectedEOF:
			return TSO(most), nil
		default:
			return 0, err
		}
	}
}

// logChunk reads the chunk at the beginning of b; size 0: there is none that is whole.
func logChunk(b []byte, number uint32) (payload []byte, first bool, size int) {
	encoding := b[6]
	if encoding < encodingFull || encoding > encodingSyncLast || binary.LittleEndian.Uint32(b[7:]) != number {
		return nil, false, 0
	}
	header := logHeader
	if encoding >= encodingSyncFull {
		header += logSyncMore
	}
	size = header + int(binary.LittleEndian.Uint16(b[4:]))
	if size > len(b) {
		return nil, false, 0
	}
	if maskedSum(b[6:size]) != binary.LittleEndian.Uint32(b) {
		return nil, false, 0
	}
	first = encoding == encodingFull || encoding == encodingFirst || encoding == encodingSyncFull || encoding == encodingSyncFirst
	return b[header:size], first, size
}
