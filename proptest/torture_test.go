package proptest

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/ivmc/ivmc"
)

var kills = flag.Int("kills", 8, "how often a test of torture kills its process")

// tortured names, to a copy of this test, the database that it consumes in.
const tortured = "IVMC_TORTURED"

// lifetime is after how many kills the torture goes on with a new database: a log
// that has grown for long would be opened, and little else, until the next kill.
const lifetime = 50

// TestTortureConsume: a process that writes a table and consumes its stream into
// another is killed again and again, in the middle of whatever it does. Each change
// reaches the other table once.
func TestTortureConsume(t *testing.T) {
	if dir := os.Getenv(tortured); dir != "" {
		t.Fatal(consumeForEver(dir))
	}
	n, all := *kills, 0
	if testing.Short() {
		n = min(n, 3)
	}
	rng := rand.New(rand.NewPCG(7, uint64(n)))
	for done := 0; done < n; {
		dir := filepath.Join(t.TempDir(), "db")
		setUp(t, dir)
		arrived := 0
		for k := 1; k <= lifetime && done < n; k++ {
			cmd := exec.Command(os.Args[0], "-test.run=TestTortureConsume$")
			cmd.Env = append(os.Environ(), tortured+"="+dir)
			said, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			// On a busy machine it may be long until it is about to do something.
			if first := make([]byte, len(begun)); k%5 != 0 {
				if _, err := io.ReadFull(said, first); err != nil || string(first) != begun {
					rest, _ := io.ReadAll(said)
					t.Fatalf("it ended by itself: %v: %s%s", err, first, rest)
				}
			}
			ended := make(chan error, 1)
			go func() { ended <- cmd.Wait() }()
			select { // the moment of the kill is the test: any
			case err := <-ended:
				t.Fatalf("it ended by itself: %v", err)
			case <-time.After(time.Duration(rng.IntN(250)) * time.Millisecond):
			}
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			<-ended // killed, as wanted
			if done++; k%10 == 0 || done == n {
				var err error
				if arrived, err = delivered(dir); err != nil {
					t.Fatalf("after %d kills: %v", done, err)
				}
			}
		}
		all += arrived
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
	}
	if all == 0 {
		t.Error("nothing was delivered")
	}
	t.Logf("%d kills, %d changes delivered once each", n, all)
}

// begun is what the process says when it has consumed for the first time.
const begun = "begun\n"

// setUp makes the database of a torture.
func setUp(t *testing.T, dir string) {
	t.Helper()
	db, err := ivmc.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(context.Background(), `CREATE TABLE src(id BIGINT PRIMARY KEY, v BIGINT);
CREATE TABLE sink(op TEXT, id BIGINT, v BIGINT, tso BIGINT, lsn BIGINT);
CREATE STREAM s ON TABLE src PROPERTIES('type' = 'detail');
CREATE MATERIALIZED VIEW twice AS SELECT op, id, v, tso, lsn, count(*) AS n FROM sink GROUP BY op, id, v, tso, lsn`); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// delivered holds what arrived, and what is to come, against the log.
func delivered(dir string) (int, error) {
	ctx := context.Background()
	db, err := ivmc.Open(dir, nil)
	if err != nil {
		return 0, err
	}
	defer db.Close()
	const columns = "SELECT __DORIS_STREAM_CHANGE_TYPE_COL__, id, v, __DORIS_STREAM_SEQUENCE_COL__, __DORIS_STREAM_LSN_COL__ FROM s"
	got, err := bag(db, "SELECT op, id, v, tso, lsn FROM sink UNION ALL "+columns)
	if err != nil {
		return 0, err
	}
	want, err := bag(db, `SELECT CASE __DORIS_BINLOG_OP__ WHEN 0 THEN 'APPEND' WHEN 1 THEN 'DELETE' WHEN 2 THEN 'UPDATE_BEFORE' ELSE 'UPDATE_AFTER' END,
id, v, __DORIS_BINLOG_TSO__, __DORIS_BINLOG_LSN__ FROM src@incr('incrementType' = 'detail')`)
	if err != nil {
		return 0, err
	}
	if len(got) != len(want) {
		return 0, fmt.Errorf("%d changes, and %d arrived or are pending", len(want), len(got))
	}
	for i := range got {
		if got[i] != want[i] {
			return 0, fmt.Errorf("%s arrived or is pending, where the log has %s", got[i], want[i])
		}
	}
	if _, err := db.Refresh(ctx, "twice", ivmc.Incremental); err != nil {
		return 0, err
	}
	if more, err := bag(db, "SELECT * FROM twice WHERE n > 1"); err != nil || len(more) > 0 {
		return 0, fmt.Errorf("arrived more than once: %v %w", more, err)
	}
	return len(got), nil
}

// consumeForEver is the process that is killed.
func consumeForEver(dir string) error {
	ctx := context.Background()
	db, err := ivmc.Open(dir, &ivmc.Options{NoSync: os.Getpid()%2 == 0}) // a killed process loses nothing that it wrote
	if err != nil {
		return err
	}
	for i := 0; ; i++ {
		sql := fmt.Sprintf(`BEGIN; INSERT INTO src SELECT coalesce(max(id), 0) + 1, %d FROM src; UPDATE src SET v = v + 1 WHERE id %% 7 = %d; COMMIT`, i, i%7)
		if i%5 == 4 {
			sql = fmt.Sprintf("DELETE FROM src WHERE id %% 50 = %d", i%50)
		}
		if _, err := db.Exec(ctx, sql); err != nil {
			return err
		}
		sql = "INSERT INTO sink SELECT __DORIS_STREAM_CHANGE_TYPE_COL__, id, v, __DORIS_STREAM_SEQUENCE_COL__, __DORIS_STREAM_LSN_COL__ FROM s"
		if i%3 == 0 {
			sql = "BEGIN; " + sql + "; COMMIT"
		}
		if _, err := db.Exec(ctx, sql); err != nil {
			return err
		}
		if i == 0 {
			fmt.Print(begun)
		}
	}
}
