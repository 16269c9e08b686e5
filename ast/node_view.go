package ast

type (
	// CreateView is CREATE [OR REPLACE] VIEW name [(columns)] AS query.
	CreateView struct {
		At
		Name      Name
		OrReplace bool
		Columns   []Name
		Query     *Query
		QueryText string // the query as written, without the final semicolon
	}
	// CreateMaterializedView is CREATE [OR REPLACE] MATERIALIZED VIEW name [(columns)] .. AS query.
	CreateMaterializedView struct {
		At
		Name        Name
		OrReplace   bool
		IfNotExists bool
		Columns     []Name
		Comments    []string    // of the columns, "" for none; nil: of none
		Deferred    bool        // BUILD DEFERRED
		Mode        RefreshMode // REFRESH {COMPLETE | AUTO | INCREMENTAL [FALLBACK]}; ModeDefault if absent
		Trigger     *Trigger    // nil if absent
		Key         []Name      // [DUPLICATE] KEY (columns)
		Comment     string      // COMMENT 'text'
		Distributed *Distribution
		Properties  []Property
		Query       *Query
		QueryText   string // the query as written, without the final semicolon
	}
	// Refresh is REFRESH MATERIALIZED VIEW name [mode] [CASCADE | WITH DRY RUN .. | WITH
	// ALL STREAMS], the last of which is of EXPLAIN alone.
	Refresh struct {
		At
		View       Name
		Mode       RefreshMode
		Cascade    bool    // what it reads first
		DryRun     *DryRun // nil if absent
		AllStreams *At     // nil if absent
	}
	// DryRun is WITH DRY RUN [LIMIT n [OFFSET m]].
	DryRun struct {
		At
		Limit  int64 // -1: all
		Offset int64
	}
	// Verify is VERIFY MATERIALIZED VIEW name.
	Verify struct {
		At
		View Name
	}
)

func (*CreateView) statement()             {}
func (*CreateMaterializedView) statement() {}
func (*Refresh) statement()                {}
func (*Verify) statement()                 {}

// RefreshMode is the word after REFRESH.
type RefreshMode uint8

// The refresh modes. ModeDefault is no word at all.
const (
	ModeDefault RefreshMode = iota
	ModeAuto
	ModeIncremental
	ModeComplete
	ModeFallback // INCREMENTAL FALLBACK
)
