package session

import (
	"time"

	"github.com/ivmc/ivmc/ast"
	"github.com/ivmc/ivmc/refresh"
	"github.com/ivmc/ivmc/schedule"
	"github.com/ivmc/ivmc/storage"
	"github.com/ivmc/ivmc/zset"
)

// ruleOf is what a trigger clause means, with times of now and in the time zone of
// the session; nil is no clause: on manual.
func (st *statement) ruleOf(n *ast.Trigger) (r schedule.Rule, err error) {
	if n == nil {
		return r, nil
	}
	now, pos := st.s.settings.local(st.now), int(n.Pos())
	switch n.Kind {
	case ast.TriggerEvery:
		unit, ok := schedule.Units()[n.Unit]
		if !ok {
			e := zset.Errorf("0A000", pos, "%q is no unit of a schedule", n.Unit)
			e.Hint = "Units: SECOND, MINUTE, HOUR, DAY, WEEK. For months use ON SCHEDULE CRON."
			return r, e
		}
		var starts time.Time
		if n.Text.Text != "" {
			cell, err := st.cell(n.Text, zset.TTimestampTZ, now)
			if err != nil {
				return r, err
			}
			var finite bool
			if starts, finite = instant(cell, now.Location()); !finite {
				return r, zset.Errorf("22023", int(n.Text.Pos()), "STARTS is a moment, not infinity")
			}
			pos = int(n.Text.Pos())
		}
		r, err = schedule.NewEvery(n.N, unit, starts, now)
	case ast.TriggerCron:
		zone := n.Zone.Text
		if zone == "" && now.Location() != time.UTC {
			zone = now.Location().String()
		}
		pos = int(n.Text.Pos())
		r, err = schedule.NewCron(n.Text.Text, zone)
	case ast.TriggerCommit:
		r = schedule.Rule{Kind: schedule.Commit, Async: n.Async}
	case ast.TriggerLag:
		lag, err := st.span(n.Text, "lag", now)
		if err != nil {
			return r, err
		}
		pos = int(n.Text.Pos())
		r, err = schedule.NewLag(lag)
		if err != nil {
			return r, zset.Errorf("22023", pos, "%s", err.Error())
		}
	}
	if err != nil {
		return r, zset.Errorf("22023", pos, "%s", err.Error())
	}
	return r, nil
}

// span reads a text as a length of time, which what is.
func (st *statement) span(text ast.Name, what string, now time.Time) (time.Duration, error) {
	cell, err := st.cell(text, zset.TInterval, now)
	if err != nil {
		return 0, err
	}
	span, pos := zset.IntervalOf([]byte(cell.S)), int(text.Pos())
	if span.Months != 0 {
		e := zset.Errorf("0A000", pos, "a %s in months is not supported", what)
		e.Hint = "Months differ in length: say it in days."
		return 0, e
	}
	const most = 36600
	if days := span.Micros / (24 * 3600 * 1e6); max(span.Days, -span.Days) > most || max(days, -days) > most {
		return 0, zset.Errorf("22023", pos, "the %s is longer than 100 years", what)
	}
	return time.Duration(span.Days)*24*time.Hour + time.Duration(span.Micros)*time.Microsecond, nil
}

// cell reads a text as a value of a type.
func (st *statement) cell(text ast.Name, t zset.Type, now time.Time) (zset.Value, error) {
	col, err := constant(ast.QuoteString(text.Text), zset.Field{Name: "trigger", Type: t}, now)
	if err != nil {
		for _, e := range All(err) {
			e.Pos = int(text.Pos())
		}
		return zset.Value{}, err
	}
	return col.Value(0), nil
}

// triggerText is the clause of a rule; "" for none. later is for what runs the
// text then: a start that has gone by is the next tick of its grid.
func triggerText(r schedule.Rule, later time.Time) string {
	t := ast.Trigger{N: r.N, Async: r.Async}
	switch r.Kind {
	case schedule.Manual:
		return ""
	case schedule.Every:
		t.Kind, t.Unit = ast.TriggerEvery, r.Unit.String()
		if starts := r.Starts; !starts.IsZero() {
			if !later.IsZero() && !starts.After(later) {
				starts = r.Next(later)
			}
			t.Text.Text = starts.UTC().Format("2006-01-02 15:04:05.999999-07")
		}
	case schedule.Cron:
		t.Kind, t.Text.Text, t.Zone.Text = ast.TriggerCron, r.Fields, r.Zone
		if r.Zone == "" {
			t.Zone.Text = "UTC"
		}
	case schedule.Commit:
		t.Kind = ast.TriggerCommit
	case schedule.Lag:
		t.Kind = ast.TriggerLag
		t.Text.Text = spanText(r.Lag)
	}
	return t.String()
}

// spanText is a length of time as an interval.
func spanText(d time.Duration) string {
	v := zset.IntervalValue{Days: int32(d / (24 * time.Hour)), Micros: int64(d%(24*time.Hour)) / 1000}.Value()
	return string(zset.AppendText(nil, columnOf(v), 0))
}

func columnOf(v zset.Value) *zset.Column {
	col := zset.NewColumn(v.Type, 1)
	col.AppendValue(v)
	return &col
}

// triggerOf is what refreshes are said to be caused by under a rule.
func triggerOf(r schedule.Rule) refresh.Trigger {
	switch r.Kind {
	case schedule.Commit:
		return refresh.OnCommit
	case schedule.Lag:
		return refresh.OnLag
	}
	return refresh.Scheduled
}

// views reads the materialized views that refs name, plain views looked through.
func viewsRead(cat *storage.Catalog, refs map[string]storage.ID) (out []uint64) {
	seen := map[storage.ID]bool{}
	var walk func(refs map[string]storage.ID)
	walk = func(refs map[string]storage.ID) {
		for _, id := range refs {
			obj, ok := cat.ByID(id)
			if seen[id] || !ok {
				continue
			}
			seen[id] = true
			switch obj.Kind {
			case storage.View:
				out = append(out, uint64(id))
			case storage.Query:
				next, _ := refsOf(obj) // one that cannot be read says so when it is refreshed
				walk(next)
			}
		}
	}
	walk(refs)
	return out
}
