package ast

import (
	"maps"
	"slices"

	"github.com/ivmc/ivmc/grammar/gen"
)

// keyword gives the token of a word in lower case. A word that is not here is
// an identifier. What a word may still name is said in the grammar (word,
// name, bareLabel).
func keyword(word string) (kind int, ok bool) {
	kind, ok = keywords[word]
	return kind, ok
}

// Keywords lists the words of the grammar in lower case, in order.
func Keywords() []string { return slices.Sorted(maps.Keys(keywords)) }

// keywords is never written to.
var keywords = map[string]int{
	// Reserved in PostgreSQL, used by no rule.
	"analyse": gen.IVMRESERVED_WORD, "deferrable": gen.IVMRESERVED_WORD,
	"grant": gen.IVMRESERVED_WORD, "initially": gen.IVMRESERVED_WORD,
	"variadic": gen.IVMRESERVED_WORD,

	// Names of functions and types only, used by no rule.
	"authorization": gen.IVMTYPE_FUNC_WORD, "binary": gen.IVMTYPE_FUNC_WORD, "collation": gen.IVMTYPE_FUNC_WORD,
	"concurrently": gen.IVMTYPE_FUNC_WORD, "freeze": gen.IVMTYPE_FUNC_WORD,
	"overlaps": gen.IVMTYPE_FUNC_WORD, "tablesample": gen.IVMTYPE_FUNC_WORD,
	"verbose": gen.IVMTYPE_FUNC_WORD,

	// Functions that are called without parentheses.
	"current_catalog": gen.IVMNILADIC, "current_date": gen.IVMNILADIC, "current_role": gen.IVMNILADIC,
	"current_schema": gen.IVMNILADIC,
	"current_time":   gen.IVMNILADIC, "current_timestamp": gen.IVMNILADIC, "current_user": gen.IVMNILADIC,
	"localtime": gen.IVMNILADIC, "localtimestamp": gen.IVMNILADIC, "session_user": gen.IVMNILADIC,
	"user": gen.IVMNILADIC,

	// Reserved.
	"trailing":   gen.IVMTRAILING,
	"symmetric":  gen.IVMSYMMETRIC,
	"some":       gen.IVMSOME,
	"placing":    gen.IVMPLACING,
	"only":       gen.IVMONLY,
	"leading":    gen.IVMLEADING,
	"lateral":    gen.IVMLATERAL,
	"for":        gen.IVMFOR,
	"fetch":      gen.IVMFETCH,
	"collate":    gen.IVMCOLLATE,
	"both":       gen.IVMBOTH,
	"asymmetric": gen.IVMASYMMETRIC,
	"array":      gen.IVMARRAY,
	"any":        gen.IVMANY,
	"returning":  gen.IVMRETURNING,
	"references": gen.IVMREFERENCES,
	"foreign":    gen.IVMFOREIGN,
	"do":         gen.IVMDO,
	"constraint": gen.IVMCONSTRAINT,
	"check":      gen.IVMCHECK,
	"all":        gen.IVMALL, "analyze": gen.IVMANALYZE, "and": gen.IVMAND, "as": gen.IVMAS, "asc": gen.IVMASC,
	"case": gen.IVMCASE, "cast": gen.IVMCAST, "column": gen.IVMCOLUMN, "create": gen.IVMCREATE,
	"default": gen.IVMDEFAULT, "desc": gen.IVMDESC, "distinct": gen.IVMDISTINCT, "else": gen.IVMELSE,
	"end": gen.IVMEND, "except": gen.IVMEXCEPT, "false": gen.IVMFALSE, "from": gen.IVMFROM,
	"group": gen.IVMGROUP, "having": gen.IVMHAVING, "in": gen.IVMIN, "intersect": gen.IVMINTERSECT,
	"into": gen.IVMINTO, "limit": gen.IVMLIMIT, "not": gen.IVMNOT, "null": gen.IVMNULL, "offset": gen.IVMOFFSET,
	"on": gen.IVMON, "or": gen.IVMOR, "order": gen.IVMORDER, "primary": gen.IVMPRIMARY, "select": gen.IVMSELECT,
	"table": gen.IVMTABLE, "then": gen.IVMTHEN, "to": gen.IVMTO, "true": gen.IVMTRUE, "union": gen.IVMUNION,
	"unique": gen.IVMUNIQUE, "using": gen.IVMUSING, "when": gen.IVMWHEN, "where": gen.IVMWHERE,
	"window": gen.IVMWINDOW, "with": gen.IVMWITH,

	// Names of functions and types only.
	"similar": gen.IVMSIMILAR,
	"cross":   gen.IVMCROSS, "full": gen.IVMFULL, "ilike": gen.IVMILIKE, "inner": gen.IVMINNER, "is": gen.IVMIS,
	"isnull": gen.IVMISNULL, "join": gen.IVMJOIN, "left": gen.IVMLEFT, "like": gen.IVMLIKE,
	"natural": gen.IVMNATURAL, "notnull": gen.IVMNOTNULL, "outer": gen.IVMOUTER, "right": gen.IVMRIGHT,

	// Names of anything but functions and types.
	"trim":      gen.IVMTRIM,
	"substring": gen.IVMSUBSTRING,
	"row":       gen.IVMROW,
	"position":  gen.IVMPOSITION,
	"overlay":   gen.IVMOVERLAY,
	"between":   gen.IVMBETWEEN, "character": gen.IVMCHARACTER, "exists": gen.IVMEXISTS, "extract": gen.IVMEXTRACT,
	"interval": gen.IVMINTERVAL, "precision": gen.IVMPRECISION, "time": gen.IVMTIME,
	"timestamp": gen.IVMTIMESTAMP, "values": gen.IVMVALUES,

	// Names of anything.
	"comment":     gen.IVMCOMMENT,
	"of":          gen.IVMOF,
	"ordinality":  gen.IVMORDINALITY,
	"stream":      gen.IVMSTREAM,
	"verify":      gen.IVMVERIFY,
	"version":     gen.IVMVERSION,
	"current":     gen.IVMCURRENT,
	"data":        gen.IVMDATA,
	"exclude":     gen.IVMEXCLUDE,
	"excluding":   gen.IVMEXCLUDING,
	"following":   gen.IVMFOLLOWING,
	"groups":      gen.IVMGROUPS,
	"including":   gen.IVMINCLUDING,
	"others":      gen.IVMOTHERS,
	"preceding":   gen.IVMPRECEDING,
	"range":       gen.IVMRANGE,
	"release":     gen.IVMRELEASE,
	"distributed": gen.IVMDISTRIBUTED,
	"pause":       gen.IVMPAUSE,
	"resume":      gen.IVMRESUME,
	"cancel":      gen.IVMCANCEL,
	"savepoint":   gen.IVMSAVEPOINT,
	"unbounded":   gen.IVMUNBOUNDED,
	"within":      gen.IVMWITHIN,
	"ties":        gen.IVMTIES,
	"rows":        gen.IVMROWS,
	"recursive":   gen.IVMRECURSIVE,
	"next":        gen.IVMNEXT,
	"at":          gen.IVMAT,
	"restrict":    gen.IVMRESTRICT,
	"restart":     gen.IVMRESTART,
	"replace":     gen.IVMREPLACE,
	"rename":      gen.IVMRENAME,
	"nothing":     gen.IVMNOTHING,
	"no":          gen.IVMNO,
	"index":       gen.IVMINDEX,
	"identity":    gen.IVMIDENTITY,
	"generated":   gen.IVMGENERATED,
	"describe":    gen.IVMDESCRIBE,
	"continue":    gen.IVMCONTINUE,
	"copy":        gen.IVMCOPY,
	"conflict":    gen.IVMCONFLICT,
	"cascade":     gen.IVMCASCADE,
	"action":      gen.IVMACTION,
	"abort":       gen.IVMABORT, "add": gen.IVMADD, "alter": gen.IVMALTER, "auto": gen.IVMAUTO, "begin": gen.IVMBEGIN,
	"build": gen.IVMBUILD, "by": gen.IVMBY, "commit": gen.IVMCOMMIT, "complete": gen.IVMCOMPLETE,
	"day": gen.IVMDAY, "deferred": gen.IVMDEFERRED, "delete": gen.IVMDELETE, "drop": gen.IVMDROP,
	"duplicate": gen.IVMDUPLICATE, "escape": gen.IVMESCAPE, "explain": gen.IVMEXPLAIN, "filter": gen.IVMFILTER,
	"first": gen.IVMFIRST, "format": gen.IVMFORMAT, "hour": gen.IVMHOUR, "if": gen.IVMIF,
	"immediate": gen.IVMIMMEDIATE, "incremental": gen.IVMINCREMENTAL, "insert": gen.IVMINSERT, "key": gen.IVMKEY,
	"last": gen.IVMLAST, "local": gen.IVMLOCAL, "materialized": gen.IVMMATERIALIZED, "minute": gen.IVMMINUTE,
	"month": gen.IVMMONTH, "nulls": gen.IVMNULLS, "over": gen.IVMOVER, "partition": gen.IVMPARTITION,
	"properties": gen.IVMPROPERTIES, "refresh": gen.IVMREFRESH, "rollback": gen.IVMROLLBACK,
	"second": gen.IVMSECOND, "set": gen.IVMSET, "show": gen.IVMSHOW, "stage": gen.IVMSTAGE,
	"start": gen.IVMSTART, "transaction": gen.IVMTRANSACTION, "truncate": gen.IVMTRUNCATE,
	"unknown": gen.IVMUNKNOWN, "update": gen.IVMUPDATE, "varying": gen.IVMVARYING, "view": gen.IVMVIEW,
	"without": gen.IVMWITHOUT, "work": gen.IVMWORK, "year": gen.IVMYEAR, "zone": gen.IVMZONE,
}
