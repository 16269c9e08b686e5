package session

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/ivmc/ivmc/storage"
	"github.com/ivmc/ivmc/zset"
)

// What the tables of streams say where there is nothing to say, and where all
// streams are.
const (
	notApplicable = "N/A"
	streamSchema  = "public"
)

func decode(s string) (rune, int) { return utf8.DecodeRuneInString(s) }

func streamColumns() zset.Schema {
	return zset.Schema{{Name: "db_name", Type: zset.TText}, {Name: "stream_name", Type: zset.TText}, {Name: "stream_id", Type: zset.TInt8},
		{Name: "stream_type", Type: zset.TText}, {Name: "consume_type", Type: zset.TText}, {Name: "stream_comment", Type: zset.TText},
		{Name: "base_table_name", Type: zset.TText}, {Name: "base_table_db", Type: zset.TText}, {Name: "base_table_ctl", Type: zset.TText},
		{Name: "base_table_type", Type: zset.TText}, {Name: "enabled", Type: zset.TBool}, {Name: "is_stale", Type: zset.TBool},
		{Name: "stale_reason", Type: zset.TText}}
}

func consumptionColumns() zset.Schema {
	return zset.Schema{{Name: "db_name", Type: zset.TText}, {Name: "stream_name", Type: zset.TText}, {Name: "stream_id", Type: zset.TInt8},
		{Name: "unit", Type: zset.TText}, {Name: "consumption_status", Type: zset.TText}, {Name: "lag", Type: zset.TText},
		{Name: "last_consumption_time", Type: zset.TInt8}}
}

func bigint(v int64) zset.Value { return zset.Value{Type: zset.TInt8, I: v} }

func boolean(b bool) zset.Value {
	v := zset.Value{Type: zset.TBool}
	if b {
		v.I = 1
	}
	return v
}

// streamRows makes the rows of a table of streams, one each. Health is derived at
// each read.
func streamRows(row func(readings, stream) ([]zset.Value, error)) func(*Engine, *txn) ([][]zset.Value, error) {
	return func(e *Engine, t *txn) ([][]zset.Value, error) {
		r := readings{store: e.store, cat: t.cat, at: t.at, zone: time.UTC, offsets: t.offsets}
		var out [][]zset.Value
		for _, obj := range named(t.cat, storage.Stream) {
			s, err := streamOf(t.cat, obj)
			if err != nil {
				return nil, err
			}
			cells, err := row(r, s)
			if err != nil {
				return nil, err
			}
			out = append(out, cells)
		}
		return out, nil
	}
}

func (r readings) streamRow(s stream) ([]zset.Value, error) {
	name, db, ctl, kind := notApplicable, notApplicable, notApplicable, notApplicable
	why := r.broken(s)
	enabled := why == ""
	if enabled {
		name, db, ctl, kind = s.base.Name, streamSchema, databaseName, strings.ToUpper(s.base.Kind.String())
		if s.base.Kind == storage.Table {
			kind = "BASE TABLE"
		}
		rel, err := r.store.Relation(s.Base)
		if err != nil {
			return nil, err
		}
		why = r.stale(s, rel, r.offsets[s.obj.ID].Inputs[s.Base])
	}
	reason := why
	if reason == "" {
		reason = notApplicable
	}
	return []zset.Value{text(streamSchema), text(s.obj.Name), bigint(int64(s.obj.ID)), text("OLAP_TABLE_STREAM"), text(strings.ToUpper(s.Type)),
		text(s.Comment), text(name), text(db), text(ctl), text(kind), boolean(enabled), boolean(why != ""), text(reason)}, nil
}

func (r readings) consumptionRow(s stream) ([]zset.Value, error) {
	unit, status, lag, last := notApplicable, notApplicable, notApplicable, int64(-1)
	off := r.offsets[s.obj.ID]
	from := off.Inputs[s.Base]
	if from != 0 {
		status = strconv.FormatUint(uint64(from), 10)
		if off.Gen > 0 {
			last = off.Frontier.Time().UnixMilli()
		}
	}
	if s.base != nil {
		unit = s.base.Name
		rel, err := r.store.Relation(s.Base)
		if err != nil {
			return nil, err
		}
		latest := rel.LastChange(r.at)
		switch {
		case latest <= from:
			lag = "0"
		case from != 0:
			lag = strconv.FormatUint(uint64(latest-from), 10)
		}
	}
	return []zset.Value{text(streamSchema), text(s.obj.Name), bigint(int64(s.obj.ID)), text(unit), text(status), text(lag), bigint(last)}, nil
}
