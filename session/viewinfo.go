package session

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ivmc/ivmc/delta"
	"github.com/ivmc/ivmc/refresh"
	"github.com/ivmc/ivmc/runtime"
	"github.com/ivmc/ivmc/storage"
	"github.com/ivmc/ivmc/zset"
)

// viewTables are the tables of information_schema that tell of materialized views.
func viewTables() []schemaTable {
	return []schemaTable{
		{"materialized_views", systemColumns("view_name", "view_id bigint", "mode", "is_incremental bool", "blockers", "state", "state_reason",
			"frontier_tso bigint", "frontier_time time", "pending bigint", "lag_tso bigint", "lag_ms double",
			"rows bigint", "row_bytes bigint", "state_bytes bigint", "memory_bytes bigint", "idle_refreshes bigint",
			"last_task_id bigint", "last_status", "last_mode", "last_reason", "last_refresh_at time", "last_duration_ms double"), nil, (*Engine).materializedRows},
		{"materialized_view_sources", systemColumns("view_name", "source_name", "source_kind", "offset_tso bigint", "last_change_tso bigint", "pending bigint",
			"lag_tso bigint", "lag_ms double", "insert_grade", "insert_cost", "change_grade", "change_cost"), nil, (*Engine).sourceRows},
		{"materialized_view_blockers", systemColumns("view_name", "code", "object", "reason", "rewrite", "permanent bool"), nil, (*Engine).blockerRows},
		{"materialized_view_states", systemColumns("view_name", "state int", "kind", "holds", "disk_bytes bigint"), nil, (*Engine).stateRows},
		{"verify_mismatches", systemColumns("view_name", "found_at time", "frontier_tso bigint", "differing bigint", "difference"), nil, (*Engine).mismatchRows},
		{"arrangements", systemColumns("relation", "arrangement", "keys bigint", "memory_bytes bigint", "shared_by int", "views"), nil, (*Engine).arrangementRows},
		jobTable(), historyTable(),
	}
}

// tableFunctions are the functions of FROM.
func tableFunctions() []tableFunction {
	return []tableFunction{jobsFunction(), tasksFunction(), infosFunction()}
}

// The states of a materialized view.
const (
	stateInit     = "INIT"          // never built
	stateNormal   = "NORMAL"        // the next refresh goes on from where it stands
	stateMismatch = "MISMATCH"      // a verification found it wrong; the next refresh builds it anew
	stateSchema   = "SCHEMA_CHANGE" // the next refresh builds it anew, for the reason beside it
)

// standing is what is known of a view at one moment.
type standing struct {
	obj      *storage.Object
	facts    *facts
	state    string
	why      string
	built    bool
	frontier storage.TSO
	pending  int64
	last     *refresh.Task // of those that ended; nil: none is remembered
}

// standingOf looks at one view. It loads nothing.
func (e *Engine) standingOf(obj *storage.Object) (s standing, err error) {
	s = standing{obj: obj, facts: e.factsOf(obj), state: stateNormal}
	if s.facts.err != nil {
		return s, fmt.Errorf("definition of view %q: %w", obj.Name, s.facts.err)
	}
	if s.frontier, s.built = e.views.Frontier(obj.ID); !s.built {
		s.state, s.why = stateInit, "it was never built"
	} else {
		if s.pending, err = e.views.Pending(obj.ID); err != nil {
			return s, err
		}
		if k := e.views.Marked(obj.ID); k != nil {
			s.state, s.why = stateMismatch, fmt.Sprintf("%d rows differed at %d", k.Differing, k.Frontier)
		} else if code := e.views.Stale(obj.ID); code != "" {
			s.state, s.why = stateSchema, code
		}
	}
	tasks, err := e.views.Tasks(obj.ID)
	for i := range tasks {
		if tasks[i].Status != refresh.TaskRunning {
			s.last = &tasks[i]
		}
	}
	return s, err
}

// codes are those of what keeps a view from being incremental.
func (f *facts) codes() string {
	var out []string
	for _, b := range f.Blockers {
		if !slices.Contains(out, b.Code) {
			out = append(out, b.Code)
		}
	}
	return strings.Join(out, ", ")
}

// lag is how far something that stands at from is behind to.
func lag(behind bool, from, to storage.TSO) zset.Value {
	if !behind || to <= from {
		return bigint(0)
	}
	return bigint(int64(to - from))
}

func (e *Engine) materializedRows(t *txn) (rows [][]zset.Value, err error) {
	for _, obj := range named(t.cat, storage.View) {
		s, err := e.standingOf(obj)
		if err != nil {
			return nil, err
		}
		size, err := e.store.Size(obj.ID)
		if err != nil {
			return nil, err
		}
		mem, err := e.store.Stats(obj.ID)
		if err != nil {
			return nil, err
		}
		lagTSO := lag(s.pending > 0, s.frontier, t.at)
		behind, err := e.behind(obj.ID)
		if err != nil {
			return nil, err
		}
		idle, idleAt := e.views.Idle(obj.ID)
		row := []zset.Value{text(obj.Name), bigint(int64(obj.ID)), text(s.facts.Mode.String()), boolean(len(s.facts.Blockers) == 0), textOrNull(s.facts.codes()),
			text(s.state), textOrNull(s.why),
			where(s.built, bigint(int64(s.frontier))), where(s.built, momentOf(s.frontier.Time())), where(s.built, bigint(s.pending)),
			where(s.built, lagTSO), where(s.built, double(float64(behind.Microseconds())/1000)),
			bigint(size.Rows), bigint(size.LogBytes), bigint(size.StateBytes), bigint(mem.MemBytes + e.views.MemBytes(obj.ID)), bigint(idle)}
		last := []zset.Value{zset.NullOf(zset.TInt8), zset.NullOf(zset.TText), zset.NullOf(zset.TText), zset.NullOf(zset.TText), momentOf(idleAt), zset.NullOf(zset.TFloat8)}
		if k := s.last; k != nil {
			at := k.Finished
			if idleAt.After(at) {
				at = idleAt
			}
			last = []zset.Value{bigint(int64(k.ID)), text(k.Status), where(k.Status == refresh.TaskSuccess, text(k.Executed.String())), textOrNull(k.Reason), momentOf(at), elapsed(k)}
		}
		rows = append(rows, append(row, last...))
	}
	return rows, nil
}

// planOf is the plan of a view that its grades are read from: the delta plan, or
// the full one where there is none.
func planOf(def *viewPayload) *delta.Plan {
	if def.Plan != nil {
		return def.Plan
	}
	return def.Full
}

func (e *Engine) sourceRows(t *txn) (rows [][]zset.Value, err error) {
	err = e.eachView(t, func(obj *storage.Object, def *viewPayload) error {
		off, built := e.store.Offsets(obj.ID)
		for _, g := range planOf(def).Grades() {
			name, kind, id := g.Relation, "table", storage.ID(g.Rel)
			null := zset.NullOf(zset.TInt8)
			from, newest, pending, lagTSO, lagMS := null, null, null, null, zset.NullOf(zset.TFloat8)
			in, there := t.cat.ByID(id)
			if there {
				name, kind = in.Name, in.Kind.String()
				latest, err := e.store.Latest(id)
				if err != nil {
					return err
				}
				newest = where(latest > 0, bigint(int64(latest)))
				if at, ok := off.Inputs[id]; ok && built {
					n, err := e.store.Since(id, at)
					if err != nil {
						return err
					}
					from, pending = bigint(int64(at)), bigint(n)
					lagTSO = lag(n > 0, at, latest)
					first, err := e.store.FirstChange(id, at)
					if err != nil {
						return err
					}
					lagMS = double(float64(e.sinceCommit(first).Microseconds()) / 1000)
				}
			} else {
				kind = "dropped"
			}
			rows = append(rows, []zset.Value{text(obj.Name), text(name), text(kind), from, newest, pending, lagTSO, lagMS,
				text(g.Inserts.Grade), text(g.Inserts.Cost.Order), text(g.Changes.Grade), text(g.Changes.Cost.Order)})
		}
		return nil
	})
	return rows, err
}

// eachView calls f for the definition of every materialized view, by name.
func (e *Engine) eachView(t *txn, f func(obj *storage.Object, def *viewPayload) error) error {
	for _, obj := range named(t.cat, storage.View) {
		def, err := payloadOf(obj)
		if err != nil {
			return err
		}
		if err := f(obj, def); err != nil {
			return err
		}
	}
	return nil
}

func (e *Engine) blockerRows(t *txn) (rows [][]zset.Value, err error) {
	for _, obj := range named(t.cat, storage.View) {
		for _, b := range e.factsOf(obj).Blockers {
			rows = append(rows, []zset.Value{text(obj.Name), text(b.Code), text(b.Object), text(b.Reason), textOrNull(b.Rewrite),
				boolean(b.Permanent)})
		}
	}
	return rows, nil
}

// mismatchRows is the evidence of verifications that found a view wrong: a row for
// each that is kept.
func (e *Engine) mismatchRows(t *txn) (rows [][]zset.Value, err error) {
	for _, obj := range named(t.cat, storage.View) {
		k := e.views.Marked(obj.ID)
		if k == nil {
			continue
		}
		for _, r := range k.Rows {
			rows = append(rows, []zset.Value{text(obj.Name), momentOf(k.At), bigint(int64(k.Frontier)), bigint(k.Differing), text(r)})
		}
	}
	return rows, nil
}

func (e *Engine) stateRows(t *txn) (rows [][]zset.Value, err error) {
	err = e.eachView(t, func(obj *storage.Object, def *viewPayload) error {
		if def.Plan == nil {
			return nil
		}
		seen := map[int]bool{}
		var tell func(d *delta.Description)
		tell = func(d *delta.Description) {
			for _, in := range d.Inputs {
				tell(in)
			}
			for _, k := range d.Keeps {
				if seen[k.State] {
					continue
				}
				seen[k.State] = true
				n := runtime.StateBytes(e.store, obj.ID, k.State-1)
				rows = append(rows, []zset.Value{text(obj.Name), {Type: zset.TInt4, I: int64(k.State)}, text(string(k.Kind)), text(k.What), where(n > 0, bigint(n))})
			}
		}
		tell(def.Plan.Describe())
		return nil
	})
	return rows, err
}

// arrangementRows lists the indexes that the delta plans of all views ask for,
// each once, with the views that share it.
func (e *Engine) arrangementRows(t *txn) (rows [][]zset.Value, err error) {
	type need struct {
		rel   storage.ID
		id    string
		name  string
		views []string
	}
	needs := map[string]*need{}
	err = e.eachView(t, func(obj *storage.Object, def *viewPayload) error {
		if def.Plan == nil {
			return nil
		}
		for i, a := range def.Plan.Arranged {
			key := strconv.FormatUint(a.Rel, 10) + "/" + a.ID
			n := needs[key]
			if n == nil {
				name, _ := def.Plan.Arrangement(i)
				n = &need{storage.ID(a.Rel), a.ID, name, nil}
				needs[key] = n
			}
			if !slices.Contains(n.views, obj.Name) {
				n.views = append(n.views, obj.Name)
			}
		}
		return nil
	})
	for _, key := range slices.Sorted(maps.Keys(needs)) {
		n := needs[key]
		in, there := t.cat.ByID(n.rel)
		if !there {
			continue
		}
		keys, bytes := zset.NullOf(zset.TInt8), zset.NullOf(zset.TInt8)
		if k, b, ok := e.store.ArrangementStats(n.rel, n.id); ok {
			keys, bytes = bigint(k), bigint(b)
		}
		rows = append(rows, []zset.Value{text(in.Name), text(n.name), keys, bytes, {Type: zset.TInt4, I: int64(len(n.views))}, text(strings.Join(n.views, ", "))})
	}
	return rows, err
}

// infosFunction is mv_infos("database" = "public"): the columns of Doris, and behind
// them how the view follows each source, and why it is not incremental.
func infosFunction() tableFunction {
	return tableFunction{schemaTable{"mv_infos", systemColumns("id bigint", "name", "jobname", "state", "schemachangedetail", "refreshstate", "refreshinfo",
		"querysql", "envinfo", "mvproperties", "mvpartitioninfo", "syncwithbasetables bool", "ivmbasetablestreams", "ivmgrades", "ivmreasons"),
		nil, (*Engine).infoRows}, []parameter{{"database", []string{streamSchema, databaseName}, false}}}
}

func (e *Engine) infoRows(t *txn) (rows [][]zset.Value, err error) {
	err = e.eachView(t, func(obj *storage.Object, def *viewPayload) error {
		s, err := e.standingOf(obj)
		if err != nil {
			return err
		}
		last := "INIT"
		if k := s.last; k != nil {
			last = map[bool]string{true: "SUCCESS", false: "FAIL"}[k.Status == refresh.TaskSuccess]
		}
		env, err := json.Marshal(def.Settings)
		if err != nil {
			return err
		}
		off, _ := e.store.Offsets(obj.ID)
		var streams []string
		for _, id := range slices.Sorted(maps.Keys(off.Inputs)) {
			name := "(dropped)"
			if in, ok := t.cat.ByID(id); ok {
				name = in.Name
			}
			streams = append(streams, fmt.Sprintf("%s@%d", name, off.Inputs[id]))
		}
		rows = append(rows, []zset.Value{bigint(int64(obj.ID)), text(obj.Name), text(jobName(obj)), text(s.state), text(s.why), text(last),
			text(refreshInfo(def)), text(queryText(t.cat, obj)), text(string(env)), text(viewProperties(t.cat, def)), text("SELF_MANAGE"), boolean(s.built && s.pending == 0),
			text(strings.Join(streams, ", ")), text(gradesText(planOf(def))), text(reasonsText(def.Blockers))})
		return nil
	})
	return rows, err
}

// gradesText says how a plan follows its sources, at which cost: once where inserts and
// other changes are followed alike.
func gradesText(p *delta.Plan) string {
	var out []string
	for _, g := range p.Grades() {
		ins, mod := g.Inserts.Grade+", "+g.Inserts.Cost.Order, g.Changes.Grade+", "+g.Changes.Cost.Order
		if ins == mod {
			out = append(out, g.Relation+" "+ins)
		} else {
			out = append(out, g.Relation+" inserts "+ins+", updates and deletes "+mod)
		}
	}
	return strings.Join(out, "; ")
}

// dearText is the grades of a plan that follows a source at a higher cost than that of
// the changed rows, with what its letters count; "": it does not.
func dearText(p *delta.Plan) string {
	const least = "O(d)"
	dear := false
	var terms []string
	for _, g := range p.Grades() {
		for _, f := range []delta.Follow{g.Inserts, g.Changes} {
			dear = dear || f.Cost.Order != least
			for _, t := range f.Cost.Where {
				if l := t.Letter + ": " + t.Counts; !slices.Contains(terms, l) {
					terms = append(terms, l)
				}
			}
		}
	}
	if !dear {
		return ""
	}
	return gradesText(p) + " (" + strings.Join(terms, "; ") + ")"
}

// reasonsText is what keeps a view from being incremental, a line each.
func reasonsText(bs []delta.Blocker) string {
	var out []string
	for _, b := range bs {
		out = append(out, b.Code+": "+blockerText(b))
	}
	return strings.Join(out, "\n")
}

// refreshInfo is the clause by which a view is refreshed.
func refreshInfo(def *viewPayload) string {
	out := "REFRESH " + def.Mode.String()
	if trigger := triggerText(def.Rule, time.Time{}); trigger != "" {
		return out + " " + trigger
	}
	return out + " ON MANUAL"
}

// viewProperties is the properties of a view as JSON.
func viewProperties(cat *storage.Catalog, def *viewPayload) string {
	all := map[string]string{}
	for _, p := range def.Clauses.properties(cat) {
		all[p[0]] = p[1]
	}
	text, _ := json.Marshal(all) // strings marshal
	return string(text)
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }
