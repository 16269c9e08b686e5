package storage

import (
	"encoding/binary"
	"hash/crc32"
	"math"
	"slices"

	"github.com/ivmc/ivmc/zset"
)

// A log block holds consecutive records of one relation: a head of fixed size and
// a body. The head is sealed by the sequencer (TSO and addresses are known only
// there); the body, which is the work, is encoded and checked outside.
//
//	head   magic.2 format.1 flags.1 schemaVersion.4 partition.4
//	       records.4 rows.4 dead.4 bodyLen.4 bodyCRC.4
//	       tso.8 base.8 deathBase.8 headCRC.4               (little endian)
//	body   [runs: count, then (tso - tso before, records)]   flagRuns, uvarints
//	       [offsets in the page, births]                     flagImage
//	       op of all records, or 0 and 2 bits a record
//	       columns: count, then per column physical form, NULL bitmap, cells
//	       dead addresses
//
// base is the address of the first row, deathBase the number of deaths before:
// a missing or a doubled block shows. LSNs are the positions of the records.
const (
	blockMagic  = 0x4249 // "IB"
	blockFormat = 1
	headLen     = 60

	flagRuns   = 1 << 0 // records of several commits; tso is that of the last one
	flagOwn    = 1 << 1 // dead addresses are doubled, bit 0 marks a row of the same change
	flagChange = 1 << 2 // a change starts here: own rows count from base
	flagRef    = 1 << 3 // body: run.8 chunks.4; the records are in that run
	flagImage  = 1 << 4 // rows of a page: base counts those before, deathBase all of them

	// A block has at most blockRows records and about blockBytes bytes. Not more:
	// on a wrong checksum Pebble searches for the flipped bit, at a cost of 300000
	// times the bytes of the value.
	blockRows  = 1 << 12
	blockBytes = 128 << 10
)

// recordsPerBlock is how many records of a change go into a block.
func recordsPerBlock(raw int64, records int) int {
	per := raw/int64(max(records, 1)) + 1
	return int(max(16, min(blockRows, blockBytes/per)))
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// head is the decoded head of a block.
type head struct {
	flags         byte
	schemaVersion uint32
	partition     uint32
	records       int
	rows          int
	dead          int
	tso           TSO
	base          uint64
	deathBase     uint64
}

// tsoRun is a number of records of one commit.
type tsoRun struct {
	tso TSO
	n   int
}

// blockSource is what a block is encoded from.
type blockSource struct {
	flags         byte
	schemaVersion uint32
	runs          []tsoRun // with flagRuns
	ops           []Op
	rows          *zset.Batch // rows [from, to) of it; nil: none
	from, to      int
	dead          []Addr
	offs, births  []int64 // with flagImage, by row
}

// appendBlock appends an unsealed block.
func appendBlock(dst []byte, src *blockSource) []byte {
	at := len(dst)
	dst = append(dst, make([]byte, headLen)...)
	if src.flags&flagRuns != 0 {
		dst = binary.AppendUvarint(dst, uint64(len(src.runs)))
		before := TSO(0)
		for _, r := range src.runs {
			dst = binary.AppendUvarint(dst, uint64(r.tso-before))
			dst = binary.AppendUvarint(dst, uint64(r.n))
			before = r.tso
		}
	}
	if src.flags&flagImage != 0 {
		dst = appendInts(dst, src.offs[src.from:src.to])
		dst = appendInts(dst, src.births[src.from:src.to])
	}
	dst = appendOps(dst, src.ops)
	rows := src.to - src.from
	if rows > 0 {
		dst = binary.AppendUvarint(dst, uint64(len(src.rows.Cols)))
		for i := range src.rows.Cols {
			dst = appendColumn(dst, &src.rows.Cols[i], src.from, src.to)
		}
	}
	flags := src.flags
	for _, a := range src.dead {
		if _, own := a.own(); own {
			flags |= flagOwn
			break
		}
	}
	dst = appendDead(dst, src.dead, flags&flagOwn != 0)

	h, body := dst[at:], dst[at+headLen:]
	binary.LittleEndian.PutUint16(h, blockMagic)
	h[2], h[3] = blockFormat, flags
	binary.LittleEndian.PutUint32(h[4:], src.schemaVersion)
	binary.LittleEndian.PutUint32(h[12:], uint32(len(src.ops)))
	binary.LittleEndian.PutUint32(h[16:], uint32(rows))
	binary.LittleEndian.PutUint32(h[20:], uint32(len(src.dead)))
	binary.LittleEndian.PutUint32(h[24:], uint32(len(body)))
	binary.LittleEndian.PutUint32(h[28:], crc32.Checksum(body, castagnoli))
	return dst
}

// appendRef appends an unsealed block that stands for a run.
func appendRef(dst []byte, schemaVersion uint32, run uint64, chunks uint32, records, rows, dead int) []byte {
	at := len(dst)
	dst = append(dst, make([]byte, headLen)...)
	dst = binary.LittleEndian.AppendUint64(dst, run)
	dst = binary.LittleEndian.AppendUint32(dst, chunks)
	h, body := dst[at:], dst[at+headLen:]
	binary.LittleEndian.PutUint16(h, blockMagic)
	h[2], h[3] = blockFormat, flagRef|flagChange
	binary.LittleEndian.PutUint32(h[4:], schemaVersion)
	binary.LittleEndian.PutUint32(h[12:], uint32(records))
	binary.LittleEndian.PutUint32(h[16:], uint32(rows))
	binary.LittleEndian.PutUint32(h[20:], uint32(dead))
	binary.LittleEndian.PutUint32(h[24:], uint32(len(body)))
	binary.LittleEndian.PutUint32(h[28:], crc32.Checksum(body, castagnoli))
	return dst
}

// seal completes the head of block b.
func seal(b []byte, tso TSO, base, deathBase uint64) {
	binary.LittleEndian.PutUint64(b[32:], uint64(tso))
	binary.LittleEndian.PutUint64(b[40:], base)
	binary.LittleEndian.PutUint64(b[48:], deathBase)
	binary.LittleEndian.PutUint32(b[56:], crc32.Checksum(b[:56], castagnoli))
}

// openBlock checks b and takes it apart. The reason for a refusal is a text; who
// knows relation and key makes it an error.
func openBlock(b []byte) (h head, body []byte, fault string) {
	if len(b) < headLen {
		return h, nil, "block is too short"
	}
	if crc32.Checksum(b[:56], castagnoli) != binary.LittleEndian.Uint32(b[56:]) {
		return h, nil, "checksum of the block's head is wrong"
	}
	if binary.LittleEndian.Uint16(b) != blockMagic || b[2] != blockFormat {
		return h, nil, "block is of an unknown format"
	}
	h = head{
		flags:         b[3],
		schemaVersion: binary.LittleEndian.Uint32(b[4:]),
		partition:     binary.LittleEndian.Uint32(b[8:]),
		records:       int(binary.LittleEndian.Uint32(b[12:])),
		rows:          int(binary.LittleEndian.Uint32(b[16:])),
		dead:          int(binary.LittleEndian.Uint32(b[20:])),
		tso:           TSO(binary.LittleEndian.Uint64(b[32:])),
		base:          binary.LittleEndian.Uint64(b[40:]),
		deathBase:     binary.LittleEndian.Uint64(b[48:]),
	}
	body = b[headLen:]
	if uint32(len(body)) != binary.LittleEndian.Uint32(b[24:]) {
		return h, nil, "block has another length than its head says"
	}
	if crc32.Checksum(body, castagnoli) != binary.LittleEndian.Uint32(b[28:]) {
		return h, nil, "checksum of the block is wrong"
	}
	return h, body, ""
}

// logPart is the decoded content of a block. It is reused from block to block.
type logPart struct {
	runs []tsoRun
	ops  []Op
	rows zset.Batch // of the relation's columns as they are now
	dead []Addr
	ints []int64

	offs, births []int64 // of an image
}

// decode fills p from the body of a block of a relation with columns types.
// Columns that the block does not have show their fills.
func (p *logPart) decode(h *head, body []byte, types []zset.Type, f fills) (fault string) {
	r := reader{b: body}
	p.runs = p.runs[:0]
	if h.flags&flagRuns != 0 {
		p.decodeRuns(&r, h)
	} else {
		p.runs = append(p.runs, tsoRun{h.tso, h.records})
	}
	if h.flags&flagImage != 0 {
		if h.rows > pageRows {
			return "image has more rows than a page"
		}
		p.offs, p.births = r.ints(p.offs[:0], h.rows), r.ints(p.births[:0], h.rows)
	}
	p.decodeOps(&r, h)
	if r.bad {
		return "records of the block do not add up"
	}
	p.decodeRows(&r, h, types, f)
	p.decodeDead(&r, h)
	if r.bad || len(r.b) != 0 {
		return "block does not parse"
	}
	return ""
}

func (p *logPart) decodeRuns(r *reader, h *head) {
	n, tso, sum := r.uvarint(), TSO(0), uint64(0)
	for range min(n, uint64(h.records)) {
		tso += TSO(r.uvarint())
		m := r.uvarint()
		sum += m
		if r.bad || m > uint64(h.records) {
			r.bad = true
			return
		}
		p.runs = append(p.runs, tsoRun{tso, int(m)})
	}
	if n > uint64(h.records) || sum != uint64(h.records) || tso != h.tso {
		r.bad = true
	}
}

func (p *logPart) decodeOps(r *reader, h *head) {
	if h.records > math.MaxInt32 {
		r.bad = true
		return
	}
	same := Op(r.byte())
	packed := []byte(nil)
	if same == 0 {
		packed = r.bytes((h.records + 3) / 4)
	}
	if r.bad || same > OpTruncate || h.rows > h.records || h.dead > h.records {
		r.bad = true
		return
	}
	p.ops = slices.Grow(p.ops[:0], h.records)[:h.records]
	born, died := 0, 0
	for i := range p.ops {
		op := same
		if same == 0 {
			if op = Op(packed[i>>2]>>(2*(i&3))) & 3; op == 0 {
				op = OpTruncate
			}
		}
		p.ops[i] = op
		if op.bears() {
			born++
		}
		if op.kills() {
			died++
		}
	}
	if born != h.rows || died != h.dead {
		r.bad = true
	}
}

func (p *logPart) decodeRows(r *reader, h *head, types []zset.Type, f fills) {
	if len(p.rows.Cols) != len(types) {
		p.rows = *zset.NewBatch(types, h.rows)
	}
	p.rows.Reset()
	p.rows.N = h.rows
	if h.rows == 0 {
		return
	}
	n := r.uvarint()
	if n > uint64(len(types)) {
		r.bad = true
		return
	}
	for i := range p.rows.Cols {
		c := &p.rows.Cols[i]
		if uint64(i) < n {
			decodeColumn(r, c, h.rows)
		} else {
			*c = f.column(i, c.Type, h.rows)
		}
		if r.bad {
			return
		}
	}
}

func (p *logPart) decodeDead(r *reader, h *head) {
	p.dead = p.dead[:0]
	p.ints = r.ints(p.ints[:0], h.dead)
	if r.bad {
		return
	}
	for _, x := range p.ints {
		switch {
		case h.flags&flagOwn == 0:
			p.dead = append(p.dead, Addr(x))
		case x&1 == 0:
			p.dead = append(p.dead, Addr(uint64(x)>>1))
		default:
			p.dead = append(p.dead, Own(int(uint64(x)>>1)))
		}
	}
}

func appendOps(dst []byte, ops []Op) []byte {
	if len(ops) == 0 {
		return append(dst, byte(OpInsert))
	}
	if same := sameOp(ops); same != 0 {
		return append(dst, byte(same))
	}
	dst = append(dst, 0)
	at := len(dst)
	dst = append(dst, make([]byte, (len(ops)+3)/4)...)
	for i, o := range ops {
		dst[at+i>>2] |= byte(o&3) << (2 * (i & 3)) // a truncation is 0
	}
	return dst
}

func appendDead(dst []byte, dead []Addr, own bool) []byte {
	if len(dead) == 0 {
		return dst
	}
	v := make([]int64, len(dead))
	for i, a := range dead {
		if !own {
			v[i] = int64(a)
			continue
		}
		if k, mine := a.own(); mine {
			v[i] = int64(k)<<1 | 1
		} else {
			v[i] = int64(a) << 1
		}
	}
	return appendInts(dst, v)
}
