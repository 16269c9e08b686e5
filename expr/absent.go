package expr

import "slices"

// drifting are functions of PostgreSQL that there are not, for their value changes by
// itself or by who asks, or there is nothing that it would tell, and what to do in their place.
func drifting(name string) (hint string, ok bool) {
	switch {
	case slices.Contains([]string{"random", "setseed", "gen_random_uuid", "clock_timestamp", "timeofday", "nextval", "currval", "lastval", "setval",
		"txid_current", "pg_current_xact_id"}, name):
		return "There is no function whose value differs from call to call: no view over it could follow changes. Store the value in a column when the row is written.", true
	case slices.Contains([]string{"current_user", "session_user", "user", "current_role", "current_setting", "pg_backend_pid", "inet_client_addr"}, name):
		return "There is no function whose value depends on who asks: no view over it could be shared. Compare with a parameter in the query that reads the view.", true
	case name == "version":
		return "`ivmc version` in the shell says it, and in a program the build information of the module.", true
	case name == "current_catalog" || name == "current_database":
		return "A database has no name: it is the directory that was opened.", true
	}
	return "", false
}
