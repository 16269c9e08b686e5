package session

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/ivmc/ivmc/algebra"
	"github.com/ivmc/ivmc/ast"
	"github.com/ivmc/ivmc/storage"
	"github.com/ivmc/ivmc/zset"
)

// incrColumns are the hidden columns of @incr.
var incrColumns = [3]string{"__doris_binlog_op__", "__doris_binlog_tso__", "__doris_binlog_lsn__"}

// reader resolves the readings of one statement: every bound is fixed before it
// is planned, and none is above its snapshot.
type readings struct {
	store   *storage.Store
	cat     *storage.Catalog
	at      storage.TSO
	zone    *time.Location
	offsets map[storage.ID]storage.Offsets // of the moment of at
	moves   map[storage.ID]consumption     // notes the streams whose readings move them; nil: nobody asks
	wrote   func(storage.ID) bool          // whether the transaction has written to a table; nil: there is none
}

// readings are those of the catalog of now.
func (e *Engine) readings(cat *storage.Catalog, zone *time.Location) readings {
	return readings{store: e.store, cat: cat, at: e.store.Applied(), zone: zone, offsets: e.store.AllOffsets()}
}

// read is [algebra.Env.Read].
func (r readings) read(rel algebra.Relation, n *ast.Reading, target algebra.Target) (algebra.Resolved, []*zset.Error) {
	if rel.Stream != 0 {
		return r.stream(storage.ID(rel.Stream), n)
	}
	obj, ok := r.cat.ByID(storage.ID(rel.ID))
	if rel.Define != nil || !ok {
		return algebra.Resolved{}, notStored(rel.Name, n)
	}
	if n == nil { // the rows of now, with their TSOs: what this transaction wrote has none yet
		if r.wrote != nil && r.wrote(obj.ID) {
			return algebra.Resolved{}, []*zset.Error{zset.Errorf("0A000", -1, "the TSOs of the rows of %q are not known in a transaction that has written to it", obj.Name)}
		}
		return algebra.Resolved{Reading: algebra.Reading{Kind: algebra.ImageReading, Hi: uint64(r.at)}}, nil
	}
	props, err := logOf(obj)
	if err != nil {
		return algebra.Resolved{}, All(err)
	}
	switch n.Kind {
	case ast.ReadIncr:
		return r.incr(obj, props, n)
	case ast.ReadTime, ast.ReadVersion:
		return r.asOf(obj, props, n, target)
	}
	return refused("42809", n, "Invalid param type for olap table: %q is a table, and @snapshot() and @reset() are readings of a stream", rel.Name)
}

func refused(code string, n *ast.Reading, format string, args ...any) (algebra.Resolved, []*zset.Error) {
	return algebra.Resolved{}, []*zset.Error{zset.Errorf(code, int(n.Pos()), format, args...)}
}

// notStored refuses a reading of a plain view or a system table.
func notStored(name string, n *ast.Reading) []*zset.Error {
	text := "INCR query requires ROW binlog enabled on base table."
	if n.Kind == ast.ReadTime || n.Kind == ast.ReadVersion {
		text = "FOR VERSION/TIME AS OF is only supported on duplicate or unique merge-on-write tables"
	}
	e := zset.Errorf("42809", int(n.Pos()), "%s", text)
	e.Detail = fmt.Sprintf("%q has no rows and no change log of its own.", name)
	e.Hint = "Name a table or a materialized view."
	return []*zset.Error{e}
}

// kept refuses what needs changes after lo that the retention has given up: there
// is no answer in part.
func (r readings) kept(obj *storage.Object, lo storage.TSO, n *ast.Reading) []*zset.Error {
	rel, err := r.store.Relation(obj.ID)
	if err != nil {
		return All(err)
	}
	gone := min(rel.Expired(), r.at)
	if rel.Readable(lo) == nil && rel.ChangeCount(lo, gone) == 0 {
		return nil
	}
	e := zset.Errorf("72000", int(n.Pos()), "the change log of %q begins after TSO %d (%s); what is asked for begins before", obj.Name, gone, timeText(gone))
	e.Detail = "BINLOG_BROKEN: older changes are gone by the retention of the table."
	e.Hint = "Begin the window later, or keep more: ALTER TABLE .. SET (\"binlog.ttl_seconds\" = \"..\"), and the other bounds of its log, which SHOW CREATE TABLE tells."
	e.Object = obj.Name
	return []*zset.Error{e}
}

// window turns the half-open window [from, to) of commit times into TSO bounds
// (lo, hi] below at: the one place where this is done. Windows that touch
// partition the log.
func window(from, to, at storage.TSO) (lo, hi storage.TSO) {
	if from > 0 {
		lo = from - 1
	}
	if hi = at; to <= at {
		if to == 0 {
			return lo, 0
		}
		hi = to - 1
	}
	return lo, hi
}

var incrModes = map[string]algebra.ReadingKind{"min_delta": algebra.NetReading, "append_only": algebra.InsertsReading, "detail": algebra.RecordsReading}

// incr is t@incr(..): the records that were committed in a half-open window.
func (r readings) incr(obj *storage.Object, props logProperties, n *ast.Reading) (algebra.Resolved, []*zset.Error) {
	var errs Errors
	from, to := storage.TSO(0), storage.TSO(math.MaxUint64)
	kind := algebra.NetReading
	given := map[string]string{} // what bounds an end already
	for _, p := range n.Params {
		fail := func(code, format string, args ...any) {
			errs = append(errs, zset.Errorf(code, int(p.Pos()), format, args...))
		}
		end, value := &from, storage.TSO(0)
		name := strings.ToLower(p.Name)
		switch name {
		case "incrementtype":
			k, ok := incrModes[strings.ToLower(p.Value)]
			if !ok {
				fail("22023", "Unsupported parameter in incr query: %s = %q is none of MIN_DELTA, APPEND_ONLY and DETAIL", p.Name, p.Value)
			}
			kind = k
		case "starttimestamp", "endtimestamp":
			t, ok := r.time(p.Value)
			if !ok {
				fail("22007", "Invalid TIMESTAMP format in incr clause: %q is not yyyy-MM-dd HH:mm:ss", p.Value)
			}
			value = storage.TSOAt(t)
		case "starttso", "endtso":
			v, err := strconv.ParseUint(p.Value, 10, 64)
			if err != nil {
				fail("22023", "Unsupported parameter in incr query: %s = %q is no TSO", p.Name, p.Value)
			}
			value = storage.TSO(v)
		default:
			fail("22023", "Unsupported parameter in incr query: %s", p.Name)
			errs[len(errs)-1].Hint = "There are startTimestamp, endTimestamp, startTSO, endTSO and incrementType."
			continue
		}
		side := name
		if name != "incrementtype" {
			side = name[:3]
			if side == "end" {
				end = &to
			}
			*end = value
		}
		if before, twice := given[side]; twice {
			fail("22023", "Unsupported parameter in incr query: %s beside %s", p.Name, before)
		}
		given[side] = p.Name
	}
	if props.Off {
		errs = append(errs, zset.Errorf("55000", int(n.Pos()), "INCR query requires ROW binlog enabled on base table."))
	} else if kind == algebra.NetReading && obj.Key != nil && props.NoHistory {
		errs = append(errs, zset.Errorf("55000", int(n.Pos()), "MIN_DELTA INCR query requires base table to enable binlog.need_historical_value=true"))
	}
	if len(errs) > 0 {
		return algebra.Resolved{}, errs
	}
	lo, hi := window(from, to, r.at)
	if err := r.kept(obj, lo, n); err != nil {
		return algebra.Resolved{}, err
	}
	return algebra.Resolved{Reading: algebra.Reading{Kind: kind, Lo: uint64(lo), Hi: uint64(hi)}, Hidden: incrColumns,
		KeysOnly: obj.Key != nil && props.NoHistory}, nil
}

// time reads yyyy-MM-dd HH:mm:ss in the session's time zone.
func (r readings) time(s string) (time.Time, bool) {
	t, err := time.ParseInLocation("2006-01-02 15:04:05", s, r.zone)
	if err != nil {
		t, err = time.ParseInLocation("2006-01-02 15:04:05.999999", s, r.zone)
	}
	return t, err == nil
}

// asOf is t FOR TIME AS OF, the rows that were committed at that time or before,
// and t FOR VERSION AS OF.
func (r readings) asOf(obj *storage.Object, props logProperties, n *ast.Reading, target algebra.Target) (algebra.Resolved, []*zset.Error) {
	if props.Off {
		return refused("55000", n, "FOR VERSION/TIME AS OF requires row binlog")
	}
	if obj.Key != nil && props.NoHistory {
		return refused("55000", n, "FOR VERSION/TIME AS OF on merge-on-write table requires binlog.need_historical_value=true")
	}
	var at storage.TSO
	if n.Kind == ast.ReadVersion {
		at = storage.TSO(max(target.I, 0))
	} else {
		t, finite := instant(target, r.zone)
		switch {
		case finite:
			at = storage.TSOAt(t.Add(time.Millisecond)) // the millisecond itself is there
			if at > 0 {
				at--
			}
		case target.I > 0:
			at = r.at
		}
	}
	at = min(at, r.at)
	if err := r.kept(obj, at, n); err != nil {
		return algebra.Resolved{}, err
	}
	return algebra.Resolved{Reading: algebra.Reading{Kind: algebra.ImageReading, Hi: uint64(at)}}, nil
}

// instant is the moment of a TIMESTAMP, which is read in zone, or a TIMESTAMPTZ;
// not finite: infinity, with its sign.
func instant(v zset.Value, zone *time.Location) (time.Time, bool) {
	if v.I == math.MaxInt64 || v.I == math.MinInt64 {
		return time.Time{}, false
	}
	t := time.UnixMicro(v.I).UTC()
	if v.Type.Kind == zset.TimestampTZ {
		return t, true
	}
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), zone), true
}
