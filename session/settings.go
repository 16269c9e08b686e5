package session

import (
	"cmp"
	"maps"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/ivmc/ivmc/explain"
	"github.com/ivmc/ivmc/zset"
)

// Settings are what SET changes. The zero value is not valid; see defaultSettings.
type Settings struct {
	TimeZone         *time.Location
	StatementTimeout time.Duration // 0: none
	NoSync           bool          // commits of rows do not wait for the disk
	ShowHidden       bool          // DESC lists the columns that * does not show
	ExplainWidth     int           // columns of the text of EXPLAIN; 0: as explain has it
}

func defaultSettings() Settings { return Settings{TimeZone: time.UTC} }

// setting is one row of the table of settings: how a value is read and shown.
type setting struct {
	name string // as SHOW titles it
	// view says that the meaning of an expression may depend on it, so that a
	// view keeps the value it was created with.
	view bool
	set  func(s *Settings, v string) *zset.Error
	show func(s *Settings) string
}

// settingTable maps lower-case names to settings. TimeZone and time_zone are one.
func settingTable() map[string]setting {
	zone := setting{name: "TimeZone", view: true, set: setZone, show: func(s *Settings) string { return s.TimeZone.String() }}
	return map[string]setting{
		"timezone":  zone,
		"time_zone": zone,
		"statement_timeout": {name: "statement_timeout", set: setTimeout,
			show: func(s *Settings) string { return showDuration(s.StatementTimeout) }},
		"explain_width":       {name: "explain_width", set: setExplainWidth, show: showExplainWidth},
		"sync":                switchOf("sync", func(s *Settings) *bool { return &s.NoSync }, true),
		"show_hidden_columns": switchOf("show_hidden_columns", func(s *Settings) *bool { return &s.ShowHidden }, false),
	}
}

// setExplainWidth reads the columns of the text of EXPLAIN.
func setExplainWidth(s *Settings, v string) *zset.Error {
	n, err := strconv.Atoi(v)
	if err != nil {
		return invalid("explain_width", v)
	}
	if n < explain.LeastWidth || n > mostExplainWidth {
		return zset.Errorf("22023", -1, "%d is outside the valid range for parameter %q (%d .. %d)", n, "explain_width", explain.LeastWidth, mostExplainWidth)
	}
	s.ExplainWidth = n
	return nil
}

const mostExplainWidth = 1000

func showExplainWidth(s *Settings) string { return strconv.Itoa(cmp.Or(s.ExplainWidth, explain.Width)) }

// switchOf is a setting that is on or off; field holds what differs from def.
func switchOf(name string, field func(*Settings) *bool, def bool) setting {
	return setting{
		name: name,
		set: func(s *Settings, v string) *zset.Error {
			on, known := map[string]bool{"on": true, "true": true, "1": true, "yes": true, "off": false, "false": false, "0": false, "no": false}[strings.ToLower(v)]
			if !known {
				return zset.Errorf("22023", -1, "parameter %q requires a Boolean value", name)
			}
			*field(s) = on != def
			return nil
		},
		show: func(s *Settings) string {
			if *field(s) != def {
				return "on"
			}
			return "off"
		},
	}
}

func findSetting(name string) (setting, *zset.Error) {
	if st, ok := settingTable()[strings.ToLower(name)]; ok {
		return st, nil
	}
	err := zset.Errorf("42704", -1, "unrecognized configuration parameter %q", name)
	var known []string
	for n := range settingTable() {
		known = append(known, n)
	}
	sort.Strings(known)
	err.Hint = "Settings: " + strings.Join(known, ", ") + "."
	return setting{}, err
}

// Set changes one setting; the value is as written in SET name = value.
func (s *Settings) Set(name, value string) *zset.Error {
	st, err := findSetting(name)
	if err != nil {
		return err
	}
	return st.set(s, value)
}

// Reset gives one setting its default.
func (s *Settings) Reset(name string) *zset.Error {
	st, err := findSetting(name)
	if err != nil {
		return err
	}
	def := defaultSettings()
	return st.set(s, st.show(&def))
}

// all lists name and value of every setting, by name.
func (s *Settings) all() [][]string {
	values := map[string]string{}
	for _, st := range settingTable() {
		values[st.name] = st.show(s)
	}
	var out [][]string
	for _, name := range slices.Sorted(maps.Keys(values)) {
		out = append(out, []string{name, values[name]})
	}
	return out
}

// ForViews is the part of the settings that a view keeps, by name.
func (s *Settings) ForViews() map[string]string {
	m := map[string]string{}
	for _, st := range settingTable() {
		if st.view {
			m[st.name] = st.show(s)
		}
	}
	return m
}

func invalid(name, value string) *zset.Error {
	return zset.Errorf("22023", -1, "invalid value for parameter %q: %q", name, value)
}

// setZone accepts a name of the zone database, and UTC offsets written +08:00 or -3.
func setZone(s *Settings, v string) *zset.Error {
	switch strings.ToUpper(v) {
	case "UTC", "GMT", "Z":
		s.TimeZone = time.UTC
		return nil
	case "", "LOCAL": // LoadLocation would read the process's zone
		return invalid("TimeZone", v)
	}
	if off, ok := zoneOffset(v); ok {
		s.TimeZone = off
		return nil
	}
	loc, err := time.LoadLocation(v)
	if err != nil {
		return invalid("TimeZone", v)
	}
	s.TimeZone = loc
	return nil
}

func zoneOffset(v string) (*time.Location, bool) {
	if len(v) < 2 || v[0] != '+' && v[0] != '-' {
		return nil, false
	}
	h, m, _ := strings.Cut(v[1:], ":")
	hours, err := strconv.Atoi(h)
	if err != nil || hours < 0 || hours > 15 {
		return nil, false
	}
	minutes := 0
	if m != "" {
		if minutes, err = strconv.Atoi(m); err != nil || minutes < 0 || minutes > 59 {
			return nil, false
		}
	}
	sec := hours*3600 + minutes*60
	if v[0] == '-' {
		sec = -sec
	}
	return time.FixedZone(v, sec), true
}

// timeUnits are PostgreSQL's units of time, largest first; a bare number is milliseconds.
func timeUnits() []timeUnit {
	return []timeUnit{{"d", 24 * time.Hour}, {"h", time.Hour}, {"min", time.Minute}, {"ms", time.Millisecond}, {"us", time.Microsecond}, {"s", time.Second}}
}

type timeUnit struct {
	suffix string
	unit   time.Duration
}

func setTimeout(s *Settings, v string) *zset.Error {
	num, unit := strings.TrimSpace(v), time.Millisecond
	for _, u := range timeUnits() {
		if rest, ok := strings.CutSuffix(num, u.suffix); ok {
			num, unit = strings.TrimSpace(rest), u.unit
			break
		}
	}
	f, err := strconv.ParseFloat(num, 64)
	if err != nil || !(f >= 0) || f*float64(unit) > float64(1<<31)*float64(time.Millisecond) {
		return invalid("statement_timeout", v)
	}
	s.StatementTimeout = time.Duration(f * float64(unit)).Round(time.Millisecond)
	return nil
}

// showDuration prints d, whole milliseconds, in the largest unit that divides it.
func showDuration(d time.Duration) string {
	if d == 0 {
		return "0"
	}
	units := timeUnits()
	sort.Slice(units, func(i, j int) bool { return units[i].unit > units[j].unit })
	for _, u := range units {
		if d%u.unit == 0 {
			return strconv.FormatInt(int64(d/u.unit), 10) + u.suffix
		}
	}
	return d.String()
}

// local is t with TimeZone.
func (s *Settings) local(t time.Time) time.Time { return t.In(s.TimeZone) }

// settingsOf rebuilds the settings that a view was created with.
func settingsOf(m map[string]string) (Settings, error) {
	s := defaultSettings()
	for name, v := range m {
		if err := s.Set(name, v); err != nil {
			return s, err
		}
	}
	return s, nil
}
