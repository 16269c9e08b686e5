package session

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/ivmc/ivmc/ast"
)

// dumped is the dump of e.
func dumped(t *testing.T, e *Engine) string {
	t.Helper()
	var b bytes.Buffer
	if err := e.Dump(context.Background(), &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// restored is a new engine that ran a dump.
func restored(t *testing.T, text string) (*Engine, *Session) {
	t.Helper()
	e := newEngine(t)
	s := e.Session()
	for _, p := range ast.Split(text) {
		if _, err := s.Run(context.Background(), p.Text); err != nil {
			t.Fatalf("%v\n%s", err, p.Text)
		}
	}
	return e, s
}

// dumpScript has what a dump could lose: every type with its edges, names that
// need quotes, all constraints, views that see less than their tables have by
// now, settings, modes, what was never built.
const dumpScript = `
CREATE TABLE "Odd ""name
"(id BIGINT, "select" TEXT DEFAULT 'it''s', "é;--" NUMERIC(8,2) DEFAULT 1.5 CHECK ("é;--" > 0 OR "é;--" IS NULL),
	CONSTRAINT "p k" PRIMARY KEY (id), CONSTRAINT u UNIQUE ("select", "é;--"));
INSERT INTO "Odd ""name
" VALUES (1, 'a''b\n', 2), (-9223372036854775808, E'tab\t new\n line \\ back', NULL), (3, '', 0.01), (4, NULL, DEFAULT);
CREATE TABLE up(k INT, v TEXT) UNIQUE KEY (k);
INSERT INTO up VALUES (1, 'a'), (1, 'b'), (2, ';');
CREATE TABLE bag(k INT, v TEXT) DUPLICATE KEY (k);
INSERT INTO bag VALUES (2, 'x'), (1, NULL), (2, 'x'), (3, 'z'), (2, 'x');
DELETE FROM bag WHERE k = 3;
CREATE TABLE kinds(a SMALLINT, b REAL, c DOUBLE PRECISION, d NUMERIC, e CHAR(4), f VARCHAR(5), g BYTEA, h DATE, i TIME, j TIMESTAMP, k TIMESTAMPTZ, l INTERVAL, m UUID, n BOOLEAN);
INSERT INTO kinds VALUES
	(-32768, '-0', '-0', 'NaN', 'é', '日本', '\x00ff27', 'infinity', '24:00:00', 'infinity', '-infinity', '1 year 2 mons -3 days 04:05:06.7', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', true),
	(32767, 'NaN', '5e-324', 'Infinity', '', '', '', '4713-01-01 BC', '23:59:59.999999', '0044-03-15 12:00:00 BC', '1969-12-31 23:59:59.999999+05:30', '-00:00:00.000001', NULL, false),
	(0, '1e-45', '1e308', '123456789012345678901234567890.12345', 'ab', 'x', '\x6162', '5874897-12-31', '00:00', '290000-12-31 23:59:59.999999', '2024-02-29 12:30+00', '178000000 years', NULL, NULL),
	(1, '16777217', '0.1', '1.00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	(1, '-Infinity', '123456789.123456789', '-0.000000000001', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
CREATE TABLE wide(a INT PRIMARY KEY, b INT NOT NULL);
INSERT INTO wide VALUES (1, 2), (2, 2);
CREATE MATERIALIZED VIEW resting REFRESH ON SCHEDULE EVERY 1 HOUR AS SELECT a FROM wide;
PAUSE MATERIALIZED VIEW JOB ON resting;
CREATE VIEW zz AS SELECT * FROM wide -- a comment at the end
;
CREATE MATERIALIZED VIEW star AS SELECT * FROM wide NATURAL JOIN (SELECT a, count(*) AS n FROM wide GROUP BY a) s;
CREATE MATERIALIZED VIEW over(x, y) REFRESH INCREMENTAL AS WITH w AS (SELECT * FROM zz) SELECT a, sum(b) FROM w GROUP BY a;
ALTER TABLE wide ADD COLUMN n BIGINT DEFAULT 7;
INSERT INTO wide VALUES (3, 3, NULL);
SET TimeZone = 'Asia/Tokyo';
CREATE MATERIALIZED VIEW aa REFRESH COMPLETE AS SELECT k::date AS day, count(*) AS n FROM kinds GROUP BY 1;
SET TimeZone = '-03:30';
CREATE MATERIALIZED VIEW later BUILD DEFERRED AS SELECT count(*) AS n FROM over;
`

// TestDump: what a dump makes has the same dump, the same rows and the same views.
func TestDump(t *testing.T) {
	e := newEngine(t)
	s := e.Session()
	for _, p := range ast.Split(dumpScript) {
		if _, err := s.Run(context.Background(), p.Text); err != nil {
			t.Fatalf("%v\n%s", err, p.Text)
		}
	}
	do(t, s, "REFRESH MATERIALIZED VIEW star")
	do(t, s, "REFRESH MATERIALIZED VIEW over")
	text := dumped(t, e)
	e2, s2 := restored(t, text)
	if again := dumped(t, e2); again != text {
		t.Errorf("dumped:\n%s\nagain:\n%s", text, again)
	}
	for _, q := range []string{"kinds", "bag", "up", "\"Odd \"\"name\n\"", "wide", "zz", "star", "over", "aa"} {
		order := " ORDER BY 1, 2"
		a, b := rows(t, s, "SELECT * FROM "+q+order), rows(t, s2, "SELECT * FROM "+q+order)
		if a != b || a == "" {
			t.Errorf("%s:\n%s\nrestored:\n%s", q, a, b)
		}
	}
	for _, want := range []string{"BUILD DEFERRED", "REFRESH COMPLETE", "REFRESH INCREMENTAL", `CONSTRAINT "p k" PRIMARY KEY`, "UNIQUE KEY (k)", "SET TimeZone = 'Asia/Tokyo'", "(SELECT a, b FROM wide) AS wide"} {
		if !strings.Contains(text, want) {
			t.Errorf("the dump has no %q:\n%s", want, text)
		}
	}
	if _, err := s2.Run(context.Background(), "SELECT * FROM later"); err == nil {
		t.Error("a view that was never built has rows")
	}
}
