package storage

import (
	"encoding/binary"
	"hash/crc32"
	"testing"

	"github.com/ivmc/ivmc/zset"
)

// sealed makes any bytes a block whose checksums are right: what a writer that
// went wrong would have left, and the only way to the decoder.
func sealed(b []byte) []byte {
	b = append([]byte{}, b...)
	for len(b) < headLen {
		b = append(b, 0)
	}
	binary.LittleEndian.PutUint16(b, blockMagic)
	b[2] = blockFormat
	body := b[headLen:]
	binary.LittleEndian.PutUint32(b[24:], uint32(len(body)))
	binary.LittleEndian.PutUint32(b[28:], crc32.Checksum(body, castagnoli))
	binary.LittleEndian.PutUint32(b[56:], crc32.Checksum(b[:56], castagnoli))
	return b
}

// FuzzBlock: no bytes of a log block, of a block of state or of offsets bring the
// decoder down; what decodes is as much as the head says.
func FuzzBlock(f *testing.F) {
	rows := batchOf([]row{{id: 1, n: 2, s: "x", f: 1.5}, {id: 3, nNull: true, sNull: true, fNull: true}})
	for _, src := range []*blockSource{
		{ops: []Op{OpInsert, OpInsert}, rows: rows, to: 2},
		{ops: []Op{OpUpdate, OpDelete, OpInsert}, rows: rows, to: 2, dead: []Addr{7, Own(0)}},
		{flags: flagRuns, runs: []tsoRun{{3, 1}, {5, 1}}, ops: []Op{OpInsert, OpInsert}, rows: rows, to: 2},
		{ops: []Op{OpDelete}, dead: []Addr{1}},
		{flags: flagImage, ops: []Op{OpInsert, OpInsert}, rows: rows, to: 2, offs: []int64{4, 9}, births: []int64{3, 1 << 40}},
		{flags: flagChange | flagOwn, ops: []Op{OpInsert, OpUpdate, OpTruncate}, rows: rows, to: 2, dead: []Addr{Own(0)}},
	} {
		b := appendBlock(nil, src)
		seal(b, 5, 10, 20)
		f.Add(b)
	}
	f.Add(appendRef(nil, 1, 2, 3, 4, 5, 6))
	f.Add(encodeOffsets(Offsets{Frontier: 3, Inputs: map[ID]TSO{1: 2}}))
	var c StateChange
	c.Keys.Append([]byte("key"))
	c.Vals.Append([]byte("value"))
	f.Add(appendStateBlock(nil, &c, 0, 1))
	types := testSchema.Types()
	fill, err := fillsOf(&Object{Schema: testSchema})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, block := range [][]byte{b, sealed(b)} {
			h, body, fault := openBlock(block)
			if fault != "" || h.flags&flagRef != 0 || h.records > 1<<14 { // a head may promise more than a test can hold
				continue
			}
			var p logPart
			if p.decode(&h, body, types, fill) != "" {
				continue
			}
			if len(p.ops) != h.records || p.rows.N != h.rows || len(p.dead) != h.dead {
				t.Fatalf("%d operations, %d rows, %d deaths of %+v", len(p.ops), p.rows.N, len(p.dead), h)
			}
			for i := range p.rows.Cols {
				if p.rows.N > 0 && p.rows.Cols[i].Len() != p.rows.N {
					t.Fatalf("column %d has %d cells of %d", i, p.rows.Cols[i].Len(), p.rows.N)
				}
				for k := range p.rows.N {
					_ = zset.AppendText(nil, &p.rows.Cols[i], k)
				}
			}
			_, _ = upTo(&h, body, 4)
		}
		decodeOffsets(b)
		for _, block := range [][]byte{b, sealedState(b)} {
			_, _ = eachState(block, func(_, _ []byte) error { return nil })
		}
	})
}

func sealedState(b []byte) []byte {
	b = append([]byte{}, b...)
	for len(b) < stateHeadLen {
		b = append(b, 0)
	}
	binary.LittleEndian.PutUint16(b, stateMagic)
	b[2] = blockFormat
	binary.LittleEndian.PutUint32(b[8:], uint32(len(b)-stateHeadLen))
	binary.LittleEndian.PutUint32(b[12:], stateCRC(b, b[stateHeadLen:]))
	return b
}
