package serve

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/ivmc/ivmc"
)

// Metrics are figures about a database, for Prometheus. What happens it hears as the
// [ivmc.Tracer] of the database; how things stand it asks when it is asked itself.
//
//	m := serve.NewMetrics()
//	db, err := ivmc.Open(dir, &ivmc.Options{Tracer: m})
//	m.Watch(db, nil)
//	http.Handle("/metrics", m.Handler())
type Metrics struct {
	registry   *prometheus.Registry
	statements *prometheus.CounterVec
	commits    prometheus.Counter
	refreshes  *prometheus.CounterVec
	failures   *prometheus.CounterVec
	durations  *prometheus.HistogramVec
}

// NewMetrics returns figures that are all zero.
func NewMetrics() *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		statements: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "ivmc_statements_total",
			Help: "Statements that ended, by SQLSTATE: 00000 is success."}, []string{"code"}),
		commits: prometheus.NewCounter(prometheus.CounterOpts{Name: "ivmc_commits_total",
			Help: "Commits of the store, those of refreshes too."}),
		refreshes: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "ivmc_refreshes_total",
			Help: "Refreshes that succeeded, by mode as executed, the reason where that was not incremental, and what asked for them."},
			[]string{"view", "mode", "reason", "trigger"}),
		failures: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "ivmc_refresh_failures_total",
			Help: "Refreshes that failed, by SQLSTATE."}, []string{"view", "code"}),
		durations: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "ivmc_refresh_duration_seconds",
			Help: "How long refreshes that succeeded took, by mode as executed.", Buckets: prometheus.ExponentialBuckets(0.0001, 4, 12)},
			[]string{"mode"}),
	}
	m.registry.MustRegister(m.statements, m.commits, m.refreshes, m.failures, m.durations,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// Watch has the figures of db among them, and of srv, which may be nil: sizes, lags
// and counts, of the moment at which somebody asks. Called once.
func (m *Metrics) Watch(db *ivmc.DB, srv *Server) {
	m.registry.MustRegister(&standing{db, srv})
}

// Handler answers in the text format of Prometheus, or the one that is asked for.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{ErrorHandling: promhttp.ContinueOnError})
}

// sqlState is the code of an error.
func sqlState(err error) string {
	if err == nil {
		return "00000"
	}
	var e interface{ SQLState() string }
	if errors.As(err, &e) {
		return e.SQLState()
	}
	return "XX000"
}

// texts are attributes by name.
func texts(attrs ...[]slog.Attr) map[string]string {
	out := map[string]string{}
	for _, as := range attrs {
		for _, a := range as {
			out[a.Key] = a.Value.String()
		}
	}
	return out
}

// Start makes m an [ivmc.Tracer].
func (m *Metrics) Start(ctx context.Context, name string, attrs ...slog.Attr) (context.Context, ivmc.SpanEnd) {
	switch name {
	case ivmc.SpanStatement:
		return ctx, func(err error, _ ...slog.Attr) { m.statements.WithLabelValues(sqlState(err)).Inc() }
	case ivmc.SpanCommit:
		return ctx, func(err error, _ ...slog.Attr) {
			if err == nil {
				m.commits.Inc()
			}
		}
	case ivmc.SpanRefresh:
		start := time.Now()
		return ctx, func(err error, more ...slog.Attr) {
			a := texts(attrs, more)
			if err != nil {
				m.failures.WithLabelValues(a["view"], sqlState(err)).Inc()
				return
			}
			m.refreshes.WithLabelValues(a["view"], a["executed"], a["reason"], a["trigger"]).Inc()
			m.durations.WithLabelValues(a["executed"]).Observe(time.Since(start).Seconds())
		}
	}
	return ctx, func(error, ...slog.Attr) {}
}

// standing is how a database stands.
type standing struct {
	db  *ivmc.DB
	srv *Server
}

// figure is one kind of figure about how things stand.
type figure struct {
	desc *prometheus.Desc
	kind prometheus.ValueType
}

func gauge(name, help string, labels ...string) figure {
	return figure{prometheus.NewDesc(name, help, labels, nil), prometheus.GaugeValue}
}

// The figures about how things stand.
var (
	figApplied     = gauge("ivmc_applied_timestamp_seconds", "Time of the last commit (of its TSO).")
	figDisk        = gauge("ivmc_disk_bytes", "Size of the store on disk.")
	figLog         = gauge("ivmc_log_bytes", "Rows and their history on disk, of a relation.", "relation")
	figMemory      = gauge("ivmc_memory_bytes", "Rows and indexes in memory, of a relation.", "relation")
	figRows        = gauge("ivmc_rows", "Rows of a relation.", "relation")
	figLag         = gauge("ivmc_view_lag_milliseconds", "For how long a view has lacked a change that is committed; 0 where it lacks none.", "view")
	figPending     = gauge("ivmc_view_pending_changes", "Changes of what a view reads that it has not.", "view")
	figState       = gauge("ivmc_view_state_bytes", "What a view keeps between refreshes, on disk.", "view")
	figBuilt       = gauge("ivmc_view_built", "1 if a view was ever built.", "view")
	figConnections = gauge("ivmc_connections", "Connections to the socket.")
	figPaused      = gauge("ivmc_job_paused", "1 if the job of a view is paused.", "view")
	figInARow      = gauge("ivmc_job_failures", "Scheduled refreshes that failed in a row.", "view")
	figSkipped     = figure{prometheus.NewDesc("ivmc_refresh_triggers_skipped_total",
		"Triggers that were dropped, because one refresh of the view ran and another one waited.", []string{"view"}, nil), prometheus.CounterValue}
)

func (*standing) Describe(ch chan<- *prometheus.Desc) {
	for _, f := range []figure{figApplied, figDisk, figLog, figMemory, figRows, figLag, figPending, figState, figBuilt, figConnections, figPaused, figInARow, figSkipped} {
		ch <- f.desc
	}
}

// scrapeTime bounds what is asked of a database for one answer.
const scrapeTime = 5 * time.Second

func (s *standing) Collect(ch chan<- prometheus.Metric) {
	give := func(f figure, v float64, labels ...string) {
		ch <- prometheus.MustNewConstMetric(f.desc, f.kind, v, labels...)
	}
	ctx, cancel := context.WithTimeout(context.Background(), scrapeTime)
	defer cancel()
	st, err := s.db.Status(ctx)
	if err != nil {
		ch <- prometheus.NewInvalidMetric(figApplied.desc, err)
		return
	}
	applied := st.Applied.Time()
	if st.Applied > 0 {
		give(figApplied, float64(applied.UnixMilli())/1000)
	}
	give(figDisk, float64(st.DiskBytes))
	if s.srv != nil {
		give(figConnections, float64(s.srv.Connections()))
	}
	for _, r := range st.Relations {
		if r.Kind == "view" || r.Kind == "stream" {
			continue
		}
		give(figLog, float64(r.LogBytes), r.Name)
		give(figMemory, float64(r.MemoryBytes), r.Name)
		give(figRows, float64(r.Rows), r.Name)
		v := r.View
		if v == nil {
			continue
		}
		give(figState, float64(r.StateBytes), r.Name)
		give(figPending, float64(v.Pending), r.Name)
		built := 0.0
		if v.Built {
			built = 1
		}
		give(figBuilt, built, r.Name)
		give(figLag, float64(v.Behind.Milliseconds()), r.Name)
		if j := v.Job; j != nil {
			paused := 0.0
			if j.Paused {
				paused = 1
			}
			give(figPaused, paused, r.Name)
			give(figInARow, float64(j.Failures), r.Name)
			give(figSkipped, float64(j.Skipped), r.Name)
		}
	}
}
