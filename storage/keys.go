package storage

import "encoding/binary"

// formatVersion is the version of everything drawn below, of block.go and of
// state.go. A store of another one is refused.
const formatVersion = 1

// The key space. Integers are big endian, so that bytes sort as numbers.
//
//	00                               format version, u32
//	01                               next id, u64
//	02                               last commit's TSO, u64
//	03 id.8                          object of the catalog, JSON
//	04 view.8                        offsets of a view
//	05 rel.8                         horizon of a relation; none: all of its history is there
//	06 object.8 kind.1 seq.8         note of an object
//	10 rel.8 tso.8 chunk.4           log block of a relation; tso is that of its last record
//	11 rel.8 page.8 tso.8 chunk.4    image of a page of a relation, as of its horizon tso
//	20 run.8                         a run that a log block refers to: rel.8 tso.8
//	21 run.8 chunk.4                 log blocks of a large commit, written ahead
//	30 view.8 n.4 gen.4 tso.8 chunk.4  log block of operator state
const (
	secFormat   = 0x00
	secNextID   = 0x01
	secLastTSO  = 0x02
	secObject   = 0x03
	secOffsets  = 0x04
	secHorizon  = 0x05
	secNote     = 0x06
	secLog      = 0x10
	secImage    = 0x11
	secRunRef   = 0x20
	secRun      = 0x21
	secState    = 0x30
	noteKeyLen  = 1 + 8 + 1 + 8
	logKeyLen   = 1 + 8 + 8 + 4
	imageKeyLen = 1 + 8 + 8 + 8 + 4
	runKeyLen   = 1 + 8 + 4
	stateKeyLen = 1 + 8 + 4 + 4 + 8 + 4
)

func section(sec byte) []byte { return []byte{sec} }

func idKey(sec byte, id uint64) []byte {
	return binary.BigEndian.AppendUint64([]byte{sec}, id)
}

func logKey(rel ID, tso TSO, chunk uint32) []byte {
	k := make([]byte, 0, logKeyLen)
	k = append(k, secLog)
	k = binary.BigEndian.AppendUint64(k, uint64(rel))
	k = binary.BigEndian.AppendUint64(k, uint64(tso))
	return binary.BigEndian.AppendUint32(k, chunk)
}

func imageKey(rel ID, page int, tso TSO, chunk uint32) []byte {
	k := make([]byte, 0, imageKeyLen)
	k = append(k, secImage)
	k = binary.BigEndian.AppendUint64(k, uint64(rel))
	k = binary.BigEndian.AppendUint64(k, uint64(page))
	k = binary.BigEndian.AppendUint64(k, uint64(tso))
	return binary.BigEndian.AppendUint32(k, chunk)
}

func runKey(run uint64, chunk uint32) []byte {
	k := make([]byte, 0, runKeyLen)
	k = append(k, secRun)
	k = binary.BigEndian.AppendUint64(k, run)
	return binary.BigEndian.AppendUint32(k, chunk)
}

func statePrefix(id StateID) []byte {
	k := make([]byte, 0, stateKeyLen)
	k = append(k, secState)
	k = binary.BigEndian.AppendUint64(k, uint64(id.View))
	k = binary.BigEndian.AppendUint32(k, uint32(id.N))
	return binary.BigEndian.AppendUint32(k, id.Gen)
}

func stateKey(id StateID, tso TSO, chunk uint32) []byte {
	k := statePrefix(id)
	k = binary.BigEndian.AppendUint64(k, uint64(tso))
	return binary.BigEndian.AppendUint32(k, chunk)
}

// after is the least key behind all keys that start with prefix, which does not
// consist of 0xff alone.
func after(prefix []byte) []byte {
	k := append([]byte(nil), prefix...)
	for i := len(k) - 1; i >= 0; i-- {
		k[i]++
		if k[i] != 0 {
			return k[:i+1]
		}
	}
	return nil
}

func keyU64(k []byte, at int) uint64 { return binary.BigEndian.Uint64(k[at:]) }
func keyU32(k []byte, at int) uint32 { return binary.BigEndian.Uint32(k[at:]) }
