package delta

// The codes of Blocker and of a refresh's reason.
const (
	CodeNondeterministic = "NONDETERMINISTIC_FUNCTION"
	CodeNotSupported     = "OPERATOR_NOT_SUPPORTED"
	CodeNoBaseline       = "NO_BASELINE"
	CodePlanMismatch     = "PLAN_SIGNATURE_MISMATCH"
	CodeStateCorrupt     = "STATE_CORRUPT"
	CodeNoLog            = "BINLOG_NOT_ENABLED"
	CodeLogBroken        = "BINLOG_BROKEN"
	CodeMismatch         = "VERIFY_MISMATCH"
	CodeCost             = "COST"
)

// Code is a reason for people: the documentation is made of it.
type Code struct {
	Code string
	// Definition says that it lies in the definition of a view, so that EXPLAIN
	// tells of it; others arise when the view is refreshed.
	Definition bool
	Means      string
	Do         string // "": nothing need be done
}

// Codes lists the codes.
func Codes() []Code {
	return []Code{
		{CodeNondeterministic, true, "now() or one of its kin: its value changes without any change of the data",
			"store the time in a column, or call it in the query that reads the view"},
		{CodeNotSupported, true, "an operator that has no rule for changes: OFFSET without LIMIT, OVER without PARTITION BY",
			"limit and number in the query that reads the view"},
		{CodeNoBaseline, false, "the view was never built", "the refresh builds it, in every mode, and reports COMPLETE"},
		{CodePlanMismatch, false, "the stored state belongs to another plan, of another version of ivmc", "a COMPLETE refresh; AUTO does it once"},
		{CodeStateCorrupt, false, "the stored state is damaged", "AUTO rebuilds it and says so"},
		{CodeNoLog, true, "a source keeps no change log", "make the table again with its change log on"},
		{CodeLogBroken, false, "the retention of a source gave up changes that the view had not read", "a COMPLETE refresh; AUTO does it once"},
		{CodeMismatch, false, "a verification found that the view is not what its definition says", "a COMPLETE refresh, which clears the mark; AUTO does it once"},
		{CodeCost, false, "the change is so large that computing anew is cheaper", ""},
	}
}
