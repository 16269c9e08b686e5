package expr

import (
	"strings"

	"github.com/ivmc/ivmc/zset"
)

// elsewhere are functions of PostgreSQL and of other dialects that there are not,
// and what to write in their place: over columns s of text, n and m of numbers, b of
// BOOLEAN, t and u of times, and a of an array.
var elsewhere = []struct{ names, write string }{
	// Texts.
	{"len", "length(s)"},
	{"charindex", "strpos(s, 'part')"},
	{"replicate", "repeat(s, 3)"},
	{"group_concat listagg wm_concat", "string_agg(s, ',' ORDER BY s)"},
	{"split strsplit", "string_to_array(s, ',')"},
	{"regexp_extract", "substring(s FROM 'pattern')"},
	{"regexp_matches", "regexp_match(s, 'pattern')"},
	{"rlike", "s ~ 'pattern'"},
	{"hash", "md5(s)"},
	// Conditions and numbers.
	{"iff iif", "if(b, n, m)"},
	{"nvl2", "CASE WHEN s IS NOT NULL THEN n ELSE m END"},
	{"zeroifnull", "coalesce(n, 0)"},
	{"nullifzero", "nullif(n, 0)"},
	{"safe_divide", "n / nullif(m, 0)"},
	{"div0", "coalesce(n / nullif(m, 0), 0)"},
	{"truncate", "trunc(n, 2)"},
	{"bitand", "n::bigint & m::bigint"}, {"bitor", "n::bigint | m::bigint"}, {"bitxor", "n::bigint # m::bigint"},
	{"to_number try_to_number", "replace(s, ',', '')::numeric"},
	// Times.
	{"getdate sysdate systimestamp current_datetime", "now()"},
	{"curdate today", "current_date"},
	{"unix_timestamp to_unixtime", "extract(epoch FROM t)"},
	{"from_unixtime", "to_timestamp(n)"},
	{"to_date str_to_date todate parse_date try_to_date", "s::date"},
	{"date_format strftime format_date format_timestamp monthname dayname", "to_char(t, 'YYYY-MM-DD')"},
	{"timestamp_trunc datetime_trunc", "date_trunc('month', t)"},
	{"dateadd timestampadd timestamp_add datetime_add", "t + 3 * INTERVAL '1 day'"},
	{"timestampdiff date_diff timestamp_diff datetime_diff", "extract(epoch FROM t - u) / 3600"},
	{"addmonths", "add_months(t::date, 1)"},
	// Aggregates.
	{"first", "(array_agg(s ORDER BY t))[1]"},
	{"last", "(array_agg(s ORDER BY t DESC))[1]"},
	{"max_by arg_max argmax", "(array_agg(s ORDER BY n DESC NULLS LAST))[1]"},
	{"min_by arg_min argmin", "(array_agg(s ORDER BY n))[1]"},
	{"median", "percentile_cont(0.5) WITHIN GROUP (ORDER BY n)"},
	{"approx_percentile approx_quantile quantile percentile percentile_approx", "percentile_cont(0.9) WITHIN GROUP (ORDER BY n)"},
	{"approx_count_distinct approx_distinct ndv uniq uniqexact", "count(DISTINCT s)"},
	{"countif", "count_if(b)"},
	{"sumif sum_if", "sum(n) FILTER (WHERE b)"},
	{"std stddevp", "stddev_pop(n)"},
	{"collect_list grouparray", "array_agg(s) FILTER (WHERE s IS NOT NULL)"},
	{"collect_set", "array_agg(DISTINCT s) FILTER (WHERE s IS NOT NULL)"},
	// Arrays.
	{"array_contains list_contains", "n = ANY (a)"},
	{"array_size list_length", "cardinality(a)"},
	{"element_at list_element", "a[1]"},
	{"explode flatten", "unnest(a)"},
}

// Elsewhere lists the names of functions that there are not, and what to write in
// their place.
func Elsewhere(yield func(names []string, write string) bool) {
	for _, e := range elsewhere {
		if !yield(strings.Fields(e.names), e.write) {
			return
		}
	}
}

// reasons are of functions that cannot be had, for their value changes by itself or by
// who asks, or there is nothing that it would tell.
var reasons = []struct{ names, hint string }{
	{"random setseed rand uuid newid generate_uuid uuid_generate_v4 gen_random_uuid clock_timestamp timeofday nextval currval lastval setval txid_current pg_current_xact_id",
		"There is no function whose value differs from call to call: no view over it could follow changes. Store the value in a column when the row is written."},
	{"current_user session_user user current_role current_setting pg_backend_pid inet_client_addr",
		"There is no function whose value depends on who asks: no view over it could be shared. Compare with a parameter in the query that reads the view."},
	{"version", "`ivmc version` in the shell says it, and in a program the build information of the module."},
	{"current_catalog current_database", "A database has no name: it is the directory that was opened."},
	{"json_extract json_value json_query get_json_object parse_json json_extract_path_text jsonb_extract_path_text",
		"There is no type for JSON: load its members as columns, or as texts."},
}

// absent are the hints, by name.
var absent = func() map[string]string {
	hints := map[string]string{}
	for _, r := range reasons {
		for _, name := range strings.Fields(r.names) {
			hints[name] = r.hint
		}
	}
	for _, e := range elsewhere {
		for _, name := range strings.Fields(e.names) {
			hints[name] = "Write it as in " + e.write + "."
		}
	}
	return hints
}()

// Absent is error 42883 for a name that there is not, neither in the library nor in
// the table, if there is more to say of it; nil if not. What its arguments are does
// not matter: they may be of the other dialect, too.
func (l *Library) Absent(name string, args, pos int) error {
	hint, ok := absent[name]
	if !ok || l != nil && len(l.byName[name]) > 0 {
		return nil
	}
	shown := ""
	if args > 0 {
		shown = ".."
	}
	e := zset.Errorf("42883", pos, "function %s(%s) does not exist", name, shown)
	e.Hint = hint
	return e
}

// otherForm is what to write for arguments that a function here does not take.
func otherForm(name string, args []*Expr) (hint string, ok bool) {
	if name == "?" && len(args) > 0 {
		return "Parameters are written $1, $2, and so on.", true
	}
	if len(args) < 2 {
		return "", false
	}
	switch k := args[0].Typ.Kind; {
	case name == "to_char" && (k == zset.Int2 || k == zset.Int4 || k == zset.Int8 || k == zset.Numeric || k == zset.Float4 || k == zset.Float8):
		return "to_char takes times. Write a number as in round(n, 2)::text.", true
	case name == "to_timestamp":
		return "Write it as in s::timestamp, or s::timestamptz if s has a zone.", true
	case name == "trunc" && (k == zset.Date || k == zset.Timestamp || k == zset.TimestampTZ):
		return "Write it as in date_trunc('month', t).", true
	case name == "decode":
		return "Write it as in CASE n WHEN 1 THEN 'a' ELSE 'b' END.", true
	case name == "date_add" || name == "date_sub":
		return "Write it as in t + 3 * INTERVAL '1 day'.", true
	}
	return "", false
}
