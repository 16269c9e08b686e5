package session

import (
	"time"

	"github.com/ivmc/ivmc/schedule"
	"github.com/ivmc/ivmc/storage"
	"github.com/ivmc/ivmc/zset"
)

// databaseID is the id of the one database.
const databaseID = 1

// jobsFunction is jobs("type" = "mv"), with the columns of Doris.
func jobsFunction() tableFunction {
	return tableFunction{schemaTable{"jobs", systemColumns("id bigint", "name", "mvid bigint", "mvname", "mvdatabaseid bigint", "mvdatabasename", "executetype", "recurringstrategy",
		"status", "createtime time"), nil, (*Engine).jobRows}, []parameter{{"type", []string{"mv"}, true}}}
}

// executeTypes are the words for rules: how a view is refreshed, and by what.
func executeType(r schedule.Rule) (kind, strategy string) {
	switch r.Kind {
	case schedule.Commit:
		return "ON_COMMIT", triggerText(r, time.Time{})
	case schedule.Manual:
		return "MANUAL", "MANUAL TRIGGER"
	case schedule.Lag:
		return "RECURRING", triggerText(r, time.Time{})
	}
	return "RECURRING", triggerText(r, time.Time{})[len("ON SCHEDULE "):]
}

func (e *Engine) jobRows(t *txn) (rows [][]zset.Value, err error) {
	for _, obj := range named(t.cat, storage.View) {
		v, err := scheduledOf(obj)
		if err != nil {
			return nil, err
		}
		kind, strategy := executeType(v.job.Rule)
		status := "RUNNING"
		if v.job.Paused {
			status = "PAUSED"
		}
		rows = append(rows, []zset.Value{bigint(int64(obj.ID)), text(jobName(obj)), bigint(int64(obj.ID)), text(obj.Name), bigint(databaseID), text(streamSchema), text(kind),
			text(strategy), text(status), momentOf(obj.Created.Time())})
	}
	return rows, nil
}

// jobTable is information_schema.materialized_view_jobs: what refreshes each view,
// and how that stands. What only a scheduler knows is NULL where none runs.
func jobTable() schemaTable {
	return schemaTable{"materialized_view_jobs", systemColumns("view_name", "view_id bigint", "trigger", "automatic bool", "paused bool", "allowed_lag_ms double",
		"running bool", "waiting bool", "next_at time", "failures int", "skipped bigint",
		"verify_every_ms double", "verify_parts int", "verified_at time", "next_verify_at time"), nil, (*Engine).materializedJobRows}
}

func (e *Engine) materializedJobRows(t *txn) (rows [][]zset.Value, err error) {
	all := map[storage.ID]*scheduled{}
	objs := named(t.cat, storage.View)
	for _, obj := range objs {
		v, err := scheduledOf(obj)
		if err != nil {
			return nil, err
		}
		all[obj.ID] = v
	}
	lags := tightest(t.cat, all)
	for _, obj := range objs {
		v := all[obj.ID]
		trigger := triggerText(v.job.Rule, time.Time{})
		if trigger == "" {
			trigger = "ON MANUAL"
		}
		s, known := e.JobState(obj.ID)
		ms, has := lags[obj.ID]
		verifiedAt, nextVerify := e.verifyState(obj.ID)
		next := zset.NullOf(zset.TTimestampTZ)
		if known && !s.Next.IsZero() && !s.Waiting && !s.Paused {
			next = momentOf(s.Next)
		}
		rows = append(rows, []zset.Value{text(obj.Name), bigint(int64(obj.ID)), text(trigger), boolean(v.job.Rule.Automatic()), boolean(v.job.Paused),
			where(has, double(float64(ms)/float64(time.Millisecond))), where(known, boolean(s.Running)), where(known, boolean(s.Waiting)), next,
			where(known, zset.Value{Type: zset.TInt4, I: int64(s.Failures)}), where(known, bigint(s.Skipped)), where(v.verify.Every > 0, double(float64(v.verify.Every)/float64(time.Millisecond))),
			where(v.verify.Every > 0, zset.Value{Type: zset.TInt4, I: int64(v.verify.parts())}), momentOf(verifiedAt), momentOf(nextVerify)})
	}
	return rows, nil
}

// tightest is how far each view may be behind: by its own lag and by those of the
// views that read it, for they bring it along.
func tightest(cat *storage.Catalog, all map[storage.ID]*scheduled) map[storage.ID]time.Duration {
	out := map[storage.ID]time.Duration{}
	for id, v := range all {
		if v.job.Rule.Kind != schedule.Lag || v.job.Paused {
			continue
		}
		reads, _ := below(cat, v.refs)
		reads[id] = true
		for in := range reads {
			if w := all[in]; w == nil || w.job.Paused {
				continue
			}
			if have, ok := out[in]; !ok || v.job.Rule.Lag < have {
				out[in] = v.job.Rule.Lag
			}
		}
	}
	return out
}
