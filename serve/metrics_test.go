package serve

import (
	"context"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/prometheus/common/expfmt"

	"github.com/ivmc/ivmc"
)

// figuresOf are the figures as Prometheus reads them: by name and labels.
func figuresOf(t *testing.T, m *Metrics) map[string]float64 {
	t.Helper()
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	if w.Code != 200 {
		t.Fatalf("status %d: %s", w.Code, w.Body)
	}
	families, err := (&expfmt.TextParser{}).TextToMetricFamilies(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]float64{}
	for name, f := range families {
		if f.GetHelp() == "" {
			t.Errorf("%s has no help", name)
		}
		for _, x := range f.Metric {
			var labels []string
			for _, l := range x.Label {
				labels = append(labels, l.GetName()+"="+l.GetValue())
			}
			key := name
			if len(labels) > 0 {
				key += "{" + strings.Join(labels, ",") + "}"
			}
			switch {
			case x.Gauge != nil:
				out[key] = x.Gauge.GetValue()
			case x.Counter != nil:
				out[key] = x.Counter.GetValue()
			case x.Histogram != nil:
				out[key] = float64(x.Histogram.GetSampleCount())
			}
		}
	}
	return out
}

// scheduled runs statements while a scheduler runs, until it has refreshed a view.
func scheduled(t *testing.T, db *ivmc.DB, statements ...string) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	refreshed, ended := make(chan bool, 100), make(chan error, 1)
	go func() {
		ended <- db.Schedule(ctx, &ivmc.ScheduleOptions{OnRefresh: func(*ivmc.RefreshReport, error) { refreshed <- true }})
	}()
	for _, sql := range statements {
		if _, err := db.Exec(ctx, sql); err != nil {
			t.Fatal(err)
		}
	}
	<-refreshed
	st, err := db.Status(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range st.Relations {
		if r.View != nil && (r.View.Job != nil) != (r.View.Trigger != "") {
			t.Errorf("%s has trigger %q and job %+v", r.Name, r.View.Trigger, r.View.Job)
		}
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// TestMetrics: what happened is counted, and how things stand is told.
func TestMetrics(t *testing.T) {
	m := NewMetrics()
	now := clockAt("2026-09-14 10:00:00")
	db, err := ivmc.Open("", &ivmc.Options{InMemory: true, Tracer: m, Clock: now.time})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	m.Watch(db, NewServer(db, Options{}))
	ctx := context.Background()
	for _, sql := range []string{
		"CREATE TABLE t(a BIGINT PRIMARY KEY)",
		"CREATE MATERIALIZED VIEW v AS SELECT count(*) AS n, sum(100 / a) AS s FROM t",
		`CREATE MATERIALIZED VIEW "w""{}` + "\\\n" + `" AS SELECT now() AS n, a FROM t`,
		"CREATE MATERIALIZED VIEW later BUILD DEFERRED AS SELECT a FROM t",
		"INSERT INTO t VALUES (1), (2), (3)",
		"REFRESH MATERIALIZED VIEW v",
		"REFRESH MATERIALIZED VIEW v",
		`REFRESH MATERIALIZED VIEW "w""{}` + "\\\n" + `"`,
		"INSERT INTO t VALUES (0)",
	} {
		if _, err := db.Exec(ctx, sql); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := db.Exec(ctx, "REFRESH MATERIALIZED VIEW v"); err == nil {
		t.Error("1/0 is nothing")
	}
	if _, err := db.Exec(ctx, "DELETE FROM t WHERE a = 0"); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(ctx, "REFRESH MATERIALIZED VIEW v"); err != nil {
		t.Fatal(err)
	}
	now.add(5000)
	if _, err := db.Exec(ctx, "INSERT INTO t VALUES (9)"); err != nil {
		t.Fatal(err)
	}
	now.add(3000)
	rows, err := db.Text(ctx, "SELECT * FROM t")
	if err != nil {
		t.Fatal(err)
	}
	scheduled(t, db, "CREATE MATERIALIZED VIEW self REFRESH ON COMMIT ASYNC AS SELECT count(*) AS n FROM t", "INSERT INTO t VALUES (10)")
	passes := figuresOf(t, m)["ivmc_refreshes_total{mode=INCREMENTAL,reason=,trigger=COMMIT,view=self}"]
	if passes < 1 { // one that finds nothing may follow
		t.Error("a refresh by the scheduler is not counted")
	}
	before := figuresOf(t, m)["ivmc_statements_total{code=00000}"]
	rows.Close()
	rows.Close()
	got := figuresOf(t, m)
	if got["ivmc_statements_total{code=00000}"] != before+1 {
		t.Errorf("a query that was given up is counted %v times", got["ivmc_statements_total{code=00000}"]-before)
	}
	w := "view=w\"{}\\\n"
	for key, want := range map[string]float64{
		"ivmc_refreshes_total{mode=INCREMENTAL,reason=,trigger=MANUAL,view=v}":                          3,
		"ivmc_refreshes_total{mode=COMPLETE,reason=NONDETERMINISTIC_FUNCTION,trigger=MANUAL," + w + "}": 1,
		"ivmc_refresh_failures_total{code=22012,view=v}":                                                1,
		"ivmc_refresh_duration_seconds{mode=INCREMENTAL}":                                               3 + passes,
		"ivmc_refresh_duration_seconds{mode=COMPLETE}":                                                  1,
		"ivmc_statements_total{code=22012}":                                                             1,
		"ivmc_view_lag_milliseconds{view=v}":                                                            3000,
		"ivmc_view_lag_milliseconds{view=later}":                                                        0,
		"ivmc_view_pending_changes{view=v}":                                                             2,
		"ivmc_view_built{view=later}":                                                                   0,
		"ivmc_view_built{view=v}":                                                                       1,
		"ivmc_rows{relation=t}":                                                                         5,
		"ivmc_connections":                                                                              0,
		"ivmc_applied_timestamp_seconds":                                                                float64(now.time().Unix()),
	} {
		if v, ok := got[key]; !ok || v != want {
			t.Errorf("%s: %v %t, wanted %v", key, v, ok, want)
		}
	}
	for _, key := range []string{"ivmc_commits_total", "ivmc_memory_bytes{relation=t}", "ivmc_view_state_bytes{view=v}",
		"ivmc_log_bytes{relation=t}", "ivmc_disk_bytes", "go_goroutines", "process_resident_memory_bytes"} {
		if got[key] <= 0 {
			t.Errorf("%s: %v", key, got[key])
		}
	}
}
