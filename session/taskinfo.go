package session

import (
	"encoding/json"
	"time"

	"github.com/ivmc/ivmc/refresh"
	"github.com/ivmc/ivmc/storage"
	"github.com/ivmc/ivmc/zset"
)

// historyTable is information_schema.refresh_history: the refreshes that are
// remembered, oldest first, and those that run.
func historyTable() schemaTable {
	return schemaTable{"refresh_history", systemColumns("view_name", "view_id bigint", "task_id bigint", "trigger", "status",
		"configured_mode", "requested_mode", "planned_mode", "executed_mode", "reason", "detail", "error_code", "error",
		"rows_in bigint", "rows_out bigint", "pending bigint", "estimate_incremental_ms double", "estimate_complete_ms double",
		"from_tso bigint", "to_tso bigint", "queued_at time", "started_at time", "finished_at time", "duration_ms double"), nil, (*Engine).historyRows}
}

func (e *Engine) historyRows(t *txn) (rows [][]zset.Value, err error) {
	err = e.eachTask(t, func(obj *storage.Object, k *refresh.Task) {
		ran := k.Status == refresh.TaskSuccess
		rows = append(rows, []zset.Value{text(obj.Name), bigint(int64(obj.ID)), bigint(int64(k.ID)), text(k.Trigger.String()), text(k.Status),
			text(k.Configured.String()), text(k.Requested.String()), text(k.Planned.String()), where(ran, text(k.Executed.String())),
			textOrNull(k.Reason), textOrNull(k.Detail), textOrNull(k.Code), textOrNull(k.Error),
			where(ran, bigint(k.RowsIn)), where(ran, bigint(k.RowsOut)), where(k.Estimates.Complete > 0, bigint(k.Estimates.Pending)),
			millisOf(k.Estimates.Delta), millisOf(k.Estimates.Complete),
			where(k.From > 0, bigint(int64(k.From))), where(ran, bigint(int64(k.To))),
			momentOf(k.Queued), momentOf(k.Started), momentOf(k.Finished), elapsed(k)})
	})
	return rows, err
}

// eachTask calls f for the tasks of every materialized view, views by name.
func (e *Engine) eachTask(t *txn, f func(obj *storage.Object, k *refresh.Task)) error {
	for _, obj := range named(t.cat, storage.View) {
		tasks, err := e.views.Tasks(obj.ID)
		if err != nil {
			return err
		}
		for i := range tasks {
			f(obj, &tasks[i])
		}
	}
	return nil
}

func elapsed(k *refresh.Task) zset.Value {
	if k.Finished.IsZero() || k.Started.IsZero() {
		return zset.NullOf(zset.TFloat8)
	}
	return double(float64(k.Finished.Sub(k.Started).Microseconds()) / 1000)
}

// tasksFunction is tasks("type" = "mv"), with the columns of Doris. A view is one
// partition, of its own name; queries have no ids.
func tasksFunction() tableFunction {
	return tableFunction{schemaTable{"tasks", systemColumns("taskid bigint", "jobid bigint", "jobname", "mvid bigint", "mvname", "mvdatabaseid bigint", "mvdatabasename", "status", "errormsg",
		"createtime time", "starttime time", "finishtime time", "durationms bigint", "taskcontext", "refreshmode", "needrefreshpartitions", "completedpartitions", "progress", "lastqueryid", "ivmfallbackreason"),
		nil, (*Engine).taskRows}, []parameter{{"type", []string{"mv"}, true}}}
}

// taskContext is the JSON of a task.
type taskContext struct {
	TriggerMode string `json:"triggerMode"`
	Method      string `json:"method"`
	IsComplete  bool   `json:"isComplete"`
}

func (e *Engine) taskRows(t *txn) (rows [][]zset.Value, err error) {
	err = e.eachTask(t, func(obj *storage.Object, k *refresh.Task) {
		done := k.Status == refresh.TaskSuccess
		context, _ := json.Marshal(taskContext{k.Trigger.String(), k.Requested.String(), k.Executed == refresh.Complete}) // strings marshal
		parts, _ := json.Marshal([]string{obj.Name})
		mode, progress, completed := "NOT_REFRESH", "0.00% (0/1)", "[]"
		if done {
			mode, progress, completed = k.Executed.String(), "100.00% (1/1)", string(parts)
		}
		ms := zset.NullOf(zset.TInt8)
		if !k.Finished.IsZero() {
			ms = bigint(int64(k.Finished.Sub(k.Started) / time.Millisecond))
		}
		rows = append(rows, []zset.Value{bigint(int64(k.ID)), bigint(int64(obj.ID)), text(jobName(obj)), bigint(int64(obj.ID)), text(obj.Name), bigint(databaseID), text(streamSchema), text(k.Status),
			text(k.Error), momentOf(k.Queued), momentOf(k.Started), momentOf(k.Finished), ms, text(string(context)), text(mode), text(string(parts)), text(completed), text(progress),
			zset.NullOf(zset.TText), text(k.Reason)})
	})
	return rows, err
}

// jobName is what the refreshes of a view are called together.
func jobName(obj *storage.Object) string { return "mv_" + itoa(int64(obj.ID)) }
