package session

import (
	"bytes"
	"context"
	"strings"
	"testing"
)

func TestViewClauses(t *testing.T) {
	s := newEngine(t).Session()
	do(t, s, sales)
	res := do(t, s, `CREATE MATERIALIZED VIEW v (a, b) BUILD IMMEDIATE REFRESH INCREMENTAL FALLBACK ON SCHEDULE EVERY 2 HOURS STARTS '2099-01-01 00:00:00'
		DUPLICATE KEY (b) COMMENT 'c' DISTRIBUTED BY HASH (a) BUCKETS 4
		PROPERTIES ("ivm_use_full_keys" = "true", "excluded_trigger_tables" = "internal.db.sale", "replication_num" = "1") AS SELECT shop, n FROM sale`)
	is(t, "one notice", len(res.Notices), 1)
	is(t, "which", res.Notices[0].Message, "KEY, DISTRIBUTED BY, replication_num of a materialized view: kept and shown, without effect on one machine")
	const made = `CREATE MATERIALIZED VIEW v (a, b) REFRESH INCREMENTAL FALLBACK ON SCHEDULE EVERY 2 HOUR STARTS '2099-01-01 00:00:00+00' KEY (b) COMMENT 'c' ` +
		`DISTRIBUTED BY HASH (a) BUCKETS 4 PROPERTIES ('excluded_trigger_tables' = 'sale', 'ivm_use_full_keys' = 'true', 'replication_num' = '1') AS SELECT shop, n FROM sale`
	is(t, "shown", rows(t, s, "SHOW CREATE MATERIALIZED VIEW v"), "v|"+made)
	do(t, s, "DROP MATERIALIZED VIEW v")
	do(t, s, made) // what is shown makes the same
	is(t, "made of what is shown", rows(t, s, "SHOW CREATE MATERIALIZED VIEW v"), "v|"+made)
	do(t, s, "ALTER MATERIALIZED VIEW v RENAME COLUMN b TO z")
	do(t, s, "ALTER TABLE sale RENAME TO sold")
	is(t, "names of now", strings.Contains(rows(t, s, "SHOW CREATE MATERIALIZED VIEW v"), "KEY (z)") && strings.Contains(rows(t, s, "SHOW CREATE MATERIALIZED VIEW v"), "'sold'"), true)
	err := fails(t, s, `ALTER MATERIALIZED VIEW v SET ("ivm_use_full_keys" = "false")`, "0A000")
	is(t, "its text", err.Msg, "Property 'ivm_use_full_keys' cannot be altered. It is fixed at creation time.")
	fails(t, s, `ALTER MATERIALIZED VIEW v SET ("excluded_trigger_tables" = "nothing")`, "22023")
	do(t, s, `ALTER MATERIALIZED VIEW v SET ("excluded_trigger_tables" = '')`)
	do(t, s, `CREATE TABLE "a,b ""c.d"(i INT)`)
	do(t, s, `CREATE MATERIALIZED VIEW odd AS SELECT i FROM "a,b ""c.d", sold`)
	do(t, s, `ALTER MATERIALIZED VIEW odd SET ("excluded_trigger_tables" = ' internal.db."a,b ""c.d" ,sold,')`)
	is(t, "names that need quotes", strings.Contains(rows(t, s, "SHOW CREATE MATERIALIZED VIEW odd"), `'"a,b ""c.d",sold'`), true)
	fails(t, s, `ALTER MATERIALIZED VIEW odd SET ("excluded_trigger_tables" = '"a,b')`, "22023")
	is(t, "an empty string", fails(t, s, `ALTER MATERIALIZED VIEW odd SET ("excluded_trigger_tables" = "")`, "42601").Hint, "An empty string is written ''.")
	is(t, "none excluded", strings.Contains(rows(t, s, "SHOW CREATE MATERIALIZED VIEW v"), "excluded"), false)
	for _, c := range [][2]string{
		{"REFRESH ON SCHEDULE EVERY 1 HOUR STARTS '2001-01-01 00:00:00' AS SELECT n FROM sold", "22023"},
		{"REFRESH ON SCHEDULE EVERY 1 HOUR STARTS 'infinity' AS SELECT n FROM sold", "22023"},
		{"REFRESH ON SCHEDULE EVERY 1 HOUR STARTS 'soon' AS SELECT n FROM sold", "22007"},
		{"REFRESH ON SCHEDULE EVERY 1 MONTH AS SELECT n FROM sold", "0A000"},
		{"REFRESH ON SCHEDULE EVERY 0 HOUR AS SELECT n FROM sold", "22023"},
		{"REFRESH ON SCHEDULE CRON '* * * *' AS SELECT n FROM sold", "22023"},
		{"REFRESH ON SCHEDULE CRON '* * * * *' AT TIME ZONE 'Moon' AS SELECT n FROM sold", "22023"},
		{"REFRESH WITH LAG '1 month' AS SELECT n FROM sold", "0A000"},
		{"REFRESH WITH LAG '-1 s' AS SELECT n FROM sold", "22023"},
		{"REFRESH WITH LAG '99999999999 hours' AS SELECT n FROM sold", ""},
		{"KEY (nothing) AS SELECT n FROM sold", "42703"},
		{"DISTRIBUTED BY HASH (nothing) AS SELECT n FROM sold", "42703"},
		{`PROPERTIES ("grace_period" = "1") AS SELECT n FROM sold`, "0A000"},
		{`PROPERTIES ("ivm_use_full_keys" = "yes") AS SELECT n FROM sold`, "22023"},
	} {
		if _, err := s.Run(context.Background(), "CREATE MATERIALIZED VIEW x "+c[0]); err == nil || c[1] != "" && All(err)[0].Code != c[1] {
			t.Errorf("%s: %v, wanted %s", c[0], err, c[1])
		}
	}
}

// TestDumpOfSchedules: a dump of schedules can be run, and its dump is the same.
func TestDumpOfSchedules(t *testing.T) {
	e := newEngine(t)
	s := e.Session()
	do(t, s, sales)
	do(t, s, "SET TimeZone = 'Europe/Berlin'")
	for i, clause := range []string{"ON SCHEDULE EVERY 3 DAY", "ON SCHEDULE EVERY 1 WEEK STARTS '2099-01-01 00:00:00'", "ON SCHEDULE CRON '0 3 * * 1'", "WITH LAG '1 day 2 hours'",
		"ON COMMIT ASYNC", "ON COMMIT"} {
		do(t, s, "CREATE MATERIALIZED VIEW v"+string(rune('0'+i))+" REFRESH AUTO "+clause+" AS SELECT shop FROM sale")
	}
	var first, second bytes.Buffer
	if err := e.Dump(context.Background(), &first); err != nil {
		t.Fatal(err)
	}
	again := newEngine(t)
	do(t, again.Session(), strings.TrimSuffix(strings.TrimSpace(first.String()), ";"))
	if err := again.Dump(context.Background(), &second); err != nil {
		t.Fatal(err)
	}
	is(t, "the dump of what a dump made", second.String(), first.String())
	for _, want := range []string{"ON SCHEDULE CRON '0 3 * * 1' AT TIME ZONE 'Europe/Berlin'", "STARTS '2098-12-31 23:00:00+00'", "WITH LAG '1 day 02:00:00'", "ON COMMIT SYNC"} {
		is(t, want, strings.Contains(first.String(), want), true)
	}
}

func TestReplaceWith(t *testing.T) {
	s := newEngine(t).Session()
	do(t, s, "CREATE TABLE t (a INT);\nINSERT INTO t VALUES (1);\nCREATE MATERIALIZED VIEW v AS SELECT 'v' AS x FROM t;\nCREATE MATERIALIZED VIEW w AS SELECT 'w' AS x FROM t;\n"+
		"CREATE MATERIALIZED VIEW over AS SELECT x FROM v")
	do(t, s, "ALTER MATERIALIZED VIEW v REPLACE WITH MATERIALIZED VIEW w")
	is(t, "exchanged", rows(t, s, "SELECT v.x, w.x FROM v, w"), "w|v")
	do(t, s, "INSERT INTO t VALUES (2)")
	do(t, s, "REFRESH MATERIALIZED VIEW over CASCADE")
	is(t, "reads what it read", rows(t, s, "SELECT x FROM over"), "v\nv")
	fails(t, s, "ALTER MATERIALIZED VIEW w REPLACE WITH MATERIALIZED VIEW v PROPERTIES ('swap' = 'false')", "2BP01")
	do(t, s, "DROP MATERIALIZED VIEW over")
	do(t, s, "ALTER MATERIALIZED VIEW w REPLACE WITH MATERIALIZED VIEW v PROPERTIES ('swap' = 'false')")
	is(t, "replaced", rows(t, s, "SELECT x FROM w"), "w")
	fails(t, s, "SELECT x FROM v", "42P01")
	fails(t, s, "ALTER MATERIALIZED VIEW w REPLACE WITH MATERIALIZED VIEW w", "42P07")
	fails(t, s, "ALTER MATERIALIZED VIEW w REPLACE WITH MATERIALIZED VIEW t", "42809")
	fails(t, s, "ALTER MATERIALIZED VIEW w REPLACE WITH MATERIALIZED VIEW w PROPERTIES ('keep' = 'true')", "0A000")
}
