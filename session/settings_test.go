package session

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/ivmc/ivmc/zset"
)

func TestSettings(t *testing.T) {
	s := newEngine(t).Session()
	for _, c := range []struct{ set, show, want string }{
		{"", "TimeZone", "UTC"},
		{"", "statement_timeout", "0"},
		{"SET time_zone = 'Europe/Berlin'", "timezone", "Europe/Berlin"},
		{"SET TimeZone TO '+08:00'", "time_zone", "+08:00"},
		{"SET timezone = DEFAULT", "TimeZone", "UTC"},
		{"SET statement_timeout = 1500", "statement_timeout", "1500ms"},
		{"SET statement_timeout = '2min'", "statement_timeout", "2min"},
		{"SET statement_timeout TO '90 s'", "statement_timeout", "90s"},
		{"SET statement_timeout = 0", "statement_timeout", "0"},
		{"SET sync = off", "sync", "off"},
		{"SET sync TO DEFAULT", "sync", "on"},
		{"SET show_hidden_columns = true", "show_hidden_columns", "on"},
	} {
		if c.set != "" {
			is(t, c.set, do(t, s, c.set).Tag, "SET")
		}
		is(t, c.set+" "+c.show, rows(t, s, "SHOW "+c.show), c.want)
	}
	do(t, s, "BEGIN;\nSET timezone = 'Asia/Tokyo';\nROLLBACK")
	is(t, "rolled back", rows(t, s, "SHOW timezone"), "UTC")
	do(t, s, "BEGIN;\nSET timezone = 'Asia/Tokyo';\nCOMMIT")
	is(t, "committed", rows(t, s, "SHOW timezone"), "Asia/Tokyo")
	e := fails(t, s, "SET nonsense = 1", "42704")
	is(t, "text", e.Msg, `unrecognized configuration parameter "nonsense"`)
	fails(t, s, "SHOW nonsense", "42704")
	fails(t, s, "SET timezone = 'Mars/Olympus'", "22023")
	fails(t, s, "SET timezone = 'Local'", "22023")
	fails(t, s, "SET statement_timeout = 'soon'", "22023")
	fails(t, s, "SET statement_timeout = -1", "22023")
	fails(t, s, "SET sync = 'soon'", "22023")
}

// TestTimeout ends a statement that would run for hours.
func TestTimeout(t *testing.T) {
	e := newEngine(t)
	s := e.Session()
	endless(t, s)
	do(t, s, "SET statement_timeout = 20")
	err := fails(t, s, endlessQuery, "57014")
	is(t, "text", err.Msg, "canceling statement due to statement timeout")
	do(t, s, "BEGIN")
	fails(t, s, endlessQuery, "57014")
	fails(t, s, "SELECT 1", "25P02")
	do(t, s, "ROLLBACK;\nSET statement_timeout = 0")
	is(t, "goes on", rows(t, s, "SELECT count(*) FROM big"), "2000")
}

// TestCancel: the caller's context ends any statement, and nothing is half done.
func TestCancel(t *testing.T) {
	e := newEngine(t)
	s := e.Session()
	endless(t, s)
	for _, sql := range []string{endlessQuery, "UPDATE big SET a = 1 WHERE a IN (1) AND a < 5", "CREATE MATERIALIZED VIEW v AS " + endlessQuery} {
		ctx, cancel := context.WithCancel(context.Background())
		if strings.Contains(sql, endlessQuery) {
			time.AfterFunc(10*time.Millisecond, cancel)
		} else {
			cancel()
		}
		res, err := s.Run(ctx, sql)
		if err == nil && res.Rows != nil {
			_, err = res.Rows.Next(ctx)
			res.Rows.Close()
		}
		cancel()
		if err == nil || All(err)[0].Code != "57014" {
			t.Errorf("%s: %v", sql, err)
		}
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: the cause is lost: %v", sql, err)
		}
	}
	fails(t, s, "SELECT * FROM v", "42P01")
}

const endlessQuery = "SELECT count(*) AS n FROM big a, big b, big c, big d WHERE a.a + b.a + c.a + d.a < 0"

func endless(t *testing.T, s *Session) {
	t.Helper()
	var sql strings.Builder
	sql.WriteString("INSERT INTO big VALUES (0)")
	for range 1999 {
		sql.WriteString(",(1)")
	}
	do(t, s, "CREATE TABLE big(a INT);\n"+sql.String())
}

// TestMemoryLimit: a statement that wants too much fails alone (53200).
func TestMemoryLimit(t *testing.T) {
	e, err := Open("", Options{InMemory: true, MemoryLimit: 64 << 10})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	s := e.Session()
	do(t, s, "CREATE TABLE t(a TEXT);\nINSERT INTO t VALUES ('x')")
	big := "INSERT INTO t VALUES ('" + strings.Repeat("x", 200<<10) + "')"
	fails(t, s, big, "53200")
	do(t, s, "BEGIN;\nINSERT INTO t VALUES ('y')")
	fails(t, s, big, "53200")
	do(t, s, "ROLLBACK")
	is(t, "rows", rows(t, s, "SELECT a FROM t"), "x")
	is(t, "budget", e.budget.Used(), int64(0))
}

// valuer gives what is no value; decomposer is what database/sql lets pass as it is.
type (
	valuer     struct{}
	decomposer struct{}
)

func (valuer) Value() (driver.Value, error) { return struct{}{}, nil }

func (decomposer) Decompose([]byte) (form byte, negative bool, coefficient []byte, exponent int32) {
	return 0, false, nil, 0
}

func TestParams(t *testing.T) {
	s := newEngine(t).Session()
	do(t, s, "CREATE TABLE t(i INT, b BIGINT, f DOUBLE PRECISION, d DECIMAL(6,2), s TEXT, o BOOLEAN, at TIMESTAMP, day DATE)")
	at := time.Date(2024, 2, 29, 12, 30, 0, 5000, time.FixedZone("", 3600))
	if _, err := s.Run(context.Background(), "INSERT INTO t VALUES ($1, $2, $3, $4, $5, $6, $7, $8)", 7, int64(math.MinInt64), 0.5, "12.345", "it's", true, at, "2024-03-01"); err != nil {
		t.Fatal(describeError(err))
	}
	is(t, "row", rows(t, s, "SELECT i, b, f, d, s, o, at, day FROM t"), "7|-9223372036854775808|0.5|12.35|it's|t|2024-02-29 12:30:00.000005|2024-03-01")
	is(t, "where", rows(t, s, "SELECT i FROM t WHERE s = $1 AND i > $2", "it's", uint8(3)), "7")
	is(t, "null", rows(t, s, "SELECT i FROM t WHERE s = $1", nil), "")
	for _, bad := range []any{uint64(math.MaxUint64), struct{}{}, []int{1}} {
		if _, err := s.Run(context.Background(), "SELECT $1", bad); err == nil || All(err)[0].Code != "22023" {
			t.Errorf("%T: %v", bad, err)
		}
	}
	type shop string
	name, none := "north", (*string)(nil)
	is(t, "kinds", rows(t, s, "SELECT $1::text, $2::text, $3::text, $4 IS NULL, $5::text, $6::text", shop("south"), &name, []byte("bytes"), none,
		time.Minute, sql.NullInt64{Int64: 3, Valid: true}), "south|north|bytes|t|60000000000|3")
	for _, c := range []struct {
		arg  any
		code string
	}{{"a\x00b", "22021"}, {"\xff", "22021"}, {shop("\xff"), "22021"}, {time.Unix(1<<55, 0), "22008"}, {time.Unix(1<<44, 0), "22008"}, {valuer{}, "22023"}, {decomposer{}, "22023"}} {
		if _, err := s.Run(context.Background(), "SELECT $1::text", c.arg); err == nil || All(err)[0].Code != c.code {
			t.Errorf("%T %v: %v, want %s", c.arg, c.arg, err, c.code)
		}
	}
	if _, err := s.Run(context.Background(), "SELECT $2", 1); err == nil || All(err)[0].Code != "42P02" {
		t.Errorf("missing parameter: %v", err)
	}
	if _, err := s.Run(context.Background(), "CREATE MATERIALIZED VIEW v AS SELECT i FROM t WHERE i > $1", 1); err == nil || All(err)[0].Code != "0A000" {
		t.Errorf("parameter in a view: %v", err)
	}
}

// TestMoments: a time is its moment where the place has a zone, and what its
// clock shows where it has none; bytes are bytes in a BYTEA.
func TestMoments(t *testing.T) {
	s := newEngine(t).Session()
	do(t, s, "SET TimeZone = '+3'")
	do(t, s, "CREATE TABLE m(z TIMESTAMPTZ, t TIMESTAMP, d DATE, c TIME, b BYTEA, s TEXT)")
	zone := time.FixedZone("", -(5*3600 + 30*60))
	for _, at := range []time.Time{
		time.Date(2024, 2, 29, 22, 30, 0, 5000, zone), time.Date(-43, 3, 15, 1, 2, 3, 0, zone), time.Date(12024, 1, 1, 0, 0, 0, 0, time.UTC),
		time.Date(1880, 1, 1, 0, 0, 0, 0, time.FixedZone("LMT", 1172)),
	} {
		if _, err := s.Run(context.Background(), "INSERT INTO m VALUES ($1, $1, $1, $1, $2, $3)", at, []byte{0, 255, '\\'}, []byte("x")); err != nil {
			t.Fatal(describeError(err))
		}
	}
	is(t, "moments", rows(t, s, "SELECT z, t, d, c, b, s FROM m"),
		`2024-03-01 04:00:00.000005+00|2024-02-29 22:30:00.000005|2024-02-29|22:30:00.000005|\x00ff5c|x
0044-03-15 06:32:03+00 BC|0044-03-15 01:02:03 BC|0044-03-15 BC|01:02:03|\x00ff5c|x
12024-01-01 00:00:00+00|12024-01-01 00:00:00|12024-01-01|00:00:00|\x00ff5c|x
1879-12-31 23:40:28+00|1880-01-01 00:00:00|1880-01-01|00:00:00|\x00ff5c|x`)
	is(t, "comparison", rows(t, s, "SELECT count(*) FROM m WHERE z = $1 AND t = $2 AND b = $3", time.Date(2024, 3, 1, 4, 0, 0, 5000, time.UTC),
		time.Date(2024, 2, 29, 22, 30, 0, 5000, time.UTC), []byte{0, 255, '\\'}), "1")
	if _, err := s.Run(context.Background(), "SELECT $1::text", []byte{255}); err == nil || All(err)[0].Code != "22021" {
		t.Errorf("%v", err)
	}
}

func TestAllErrors(t *testing.T) {
	es := All(Errors{zset.Errorf("2", 9, "b"), zset.Errorf("1", 3, "a")})
	is(t, "sorted", es[0].Code+es[1].Code, "12")
	is(t, "unknown", All(errors.New("x"))[0].Code, "XX000")
	is(t, "worded twice", len(All(worded(worded(es)))), 2)
}

func TestShowAll(t *testing.T) {
	s := newEngine(t).Session()
	do(t, s, "SET statement_timeout = '2s'")
	is(t, "all", rows(t, s, "SHOW ALL"), "TimeZone|UTC\nexplain_width|100\nshow_hidden_columns|off\nstatement_timeout|2s\nsync|on")
}

// TestUnsupported: statements that the grammar knows and nothing runs are named
// as they are written.
func TestUnsupported(t *testing.T) {
	s := newEngine(t).Session()
	do(t, s, "CREATE TABLE t(a INT)")
	is(t, "comment", fails(t, s, "COMMENT ON TABLE t IS 'x'", "0A000").Msg, "COMMENT is not supported")
}

// TestTimeZone: current_date and localtimestamp are what a clock of the zone shows,
// in queries and, by the zone of its creation, in a view; now() is a moment.
func TestTimeZone(t *testing.T) {
	at := time.Date(2024, 3, 1, 20, 0, 0, 0, time.UTC)
	e, err := Open("", Options{InMemory: true, Clock: func() time.Time { return at }})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	s := e.Session()
	do(t, s, "SET time_zone = 'Asia/Tokyo';\nCREATE TABLE t(a INT);\nINSERT INTO t VALUES (1)")
	const query = "SELECT date_trunc('hour', now()) AS n, current_date AS d, localtimestamp AS l FROM t"
	is(t, "query", rows(t, s, query), "2024-03-01 20:00:00+00|2024-03-02|2024-03-02 05:00:00")
	do(t, s, "CREATE MATERIALIZED VIEW v AS "+query+";\nCREATE MATERIALIZED VIEW w AS SELECT n, now() AS m FROM v;\nSET time_zone = 'UTC'")
	is(t, "utc", rows(t, s, query), "2024-03-01 20:00:00+00|2024-03-01|2024-03-01 20:00:00")
	is(t, "view", rows(t, s, "SELECT * FROM v"), "2024-03-01 20:00:00+00|2024-03-02|2024-03-02 05:00:00")
	at = at.Add(time.Hour)
	do(t, s, "INSERT INTO t VALUES (2);\nREFRESH MATERIALIZED VIEW v")
	is(t, "refreshed", rows(t, s, "SELECT DISTINCT n, d, l FROM v"), "2024-03-01 21:00:00+00|2024-03-02|2024-03-02 06:00:00")
	do(t, s, "INSERT INTO t VALUES (3);\nREFRESH MATERIALIZED VIEW w")
	for _, v := range []string{"v", "w"} {
		rep, err := e.Verify(context.Background(), v)
		if err != nil || !rep.Equal {
			t.Errorf("%s: %+v %v", v, rep, err)
		}
	}
}
