package ast

import (
	"strings"

	"github.com/antlr4-go/antlr/v4"
)

// stranger is a statement of PostgreSQL, or a part of one, that the grammar does
// not have. It is told by the words with which the statement begins; where there
// is more to it than that, by a word further on too, at which the parser stops.
type stranger struct {
	words string // in lower case, the tokens with a blank between them
	at    string // where it is not empty, the tokens that end where the parser stops
	what  string // as the message names it
	hint  string
}

const (
	oneSnapshot = "Leave it out: every transaction reads and writes one snapshot, as REPEATABLE READ does."
	noLocks     = "Leave it out: nothing is locked. Of two transactions that change one row the second to commit fails (40001), and can be run again."
	noRights    = "There are no users and no rights: who may read the directory may read the database."
	noRoutines  = "Write what it does in the statements themselves, or in the program."
	noTemporary = "Make a table of a name of its own, and drop it afterwards."
	oneSchema   = "There is the schema public alone: give the tables names that tell them apart."
	ownFile     = "COPY reads and writes files: give the name of one in quotes."
	apart       = "Give it a statement of its own; both in one transaction are seen together."
	ownValues   = "Give the values yourself."
	noTypes     = "Use a type that is there, with CHECK on the column."
	noPlans     = "Send the statement itself; a program prepares it with Session.Prepare."
	allNamed    = "Leave it out: EXPLAIN names the columns."
	noUpkeep    = "Leave it out: nothing waits for it."
)

// strangers are looked through from the top, and never written to.
var strangers = []stranger{
	{"begin", "isolation", "ISOLATION LEVEL", oneSnapshot},
	{"start transaction", "isolation", "ISOLATION LEVEL", oneSnapshot},
	{"begin", "read", "READ ONLY and READ WRITE", "Leave it out: every transaction may write."},
	{"start transaction", "read", "READ ONLY and READ WRITE", "Leave it out: every transaction may write."},
	{"set transaction", "", "SET TRANSACTION", oneSnapshot},
	{"set session", "", "SET SESSION", "Write SET alone: it holds for the session."},
	{"set local", "", "SET LOCAL", "Write SET: it holds for the session, and is set back in the same way."},
	{"reset", "", "RESET", "Write SET .. TO DEFAULT."},
	{"commit and", "", "COMMIT AND CHAIN", "Write COMMIT; BEGIN."},
	{"rollback and", "", "ROLLBACK AND CHAIN", "Write ROLLBACK; BEGIN."},
	{"commit prepared", "", "COMMIT PREPARED", "There are no commits in two phases."},
	{"rollback prepared", "", "ROLLBACK PREPARED", "There are no commits in two phases."},
	{"prepare transaction", "", "PREPARE TRANSACTION", "There are no commits in two phases."},
	{"lock", "", "LOCK", noLocks},

	{"copy", "from stdin", "COPY FROM STDIN", ownFile},
	{"copy", "to stdout", "COPY TO STDOUT", ownFile},
	{"copy", "from program", "COPY with a program", ownFile},
	{"with", "as ( insert", "INSERT in WITH", apart},
	{"with", "as ( update", "UPDATE in WITH", apart},
	{"with", "as ( delete", "DELETE in WITH", apart},
	{"merge", "", "MERGE", "Use INSERT .. ON CONFLICT .. DO UPDATE, or UPDATE .. FROM and DELETE .. USING."},
	{"replace into", "", "REPLACE", "Use INSERT .. ON CONFLICT .. DO UPDATE."},

	{"refresh materialized view concurrently", "", "CONCURRENTLY", "Leave it out: readers wait for no refresh, and see the view as it was or as it is."},
	{"refresh materialized view", "with no", "WITH NO DATA in REFRESH", "DROP the view, and make it again WITH NO DATA."},

	{"create temp", "", "CREATE TEMP", noTemporary},
	{"create temporary", "", "CREATE TEMPORARY", noTemporary},
	{"create local", "", "CREATE LOCAL", noTemporary},
	{"create global", "", "CREATE GLOBAL", noTemporary},
	{"create unlogged", "", "CREATE UNLOGGED", "Leave it out: every commit is logged."},
	{"create foreign", "", "CREATE FOREIGN", "Load the rows into a table with COPY."},
	{"create schema", "", "CREATE SCHEMA", oneSchema},
	{"create database", "", "CREATE DATABASE", "A database is a directory, made when it is first opened: --db DIR."},
	{"use", "", "USE", "A database is a directory: open another one with --db DIR."},
	{"create sequence", "", "CREATE SEQUENCE", ownValues},
	{"create type", "", "CREATE TYPE", noTypes},
	{"create domain", "", "CREATE DOMAIN", noTypes},
	{"create function", "", "CREATE FUNCTION", noRoutines},
	{"create or replace function", "", "CREATE FUNCTION", noRoutines},
	{"create procedure", "", "CREATE PROCEDURE", noRoutines},
	{"create or replace procedure", "", "CREATE PROCEDURE", noRoutines},
	{"create aggregate", "", "CREATE AGGREGATE", noRoutines},
	{"create operator", "", "CREATE OPERATOR", noRoutines},
	{"create extension", "", "CREATE EXTENSION", noRoutines},
	{"create trigger", "", "CREATE TRIGGER", "Keep what follows from a table in a materialized view, or subscribe to the changes of one in a program."},
	{"create or replace trigger", "", "CREATE TRIGGER", "Keep what follows from a table in a materialized view, or subscribe to the changes of one in a program."},
	{"create rule", "", "CREATE RULE", "Keep what follows from a table in a materialized view."},
	{"create role", "", "CREATE ROLE", noRights},
	{"create user", "", "CREATE USER", noRights},
	{"create policy", "", "CREATE POLICY", noRights},
	{"grant", "", "GRANT", noRights},
	{"revoke", "", "REVOKE", noRights},

	{"do", "", "DO", noRoutines},
	{"call", "", "CALL", noRoutines},
	{"prepare", "", "PREPARE", noPlans},
	{"execute", "", "EXECUTE", noPlans},
	{"deallocate", "", "DEALLOCATE", noPlans},
	{"declare", "", "DECLARE", "Use LIMIT; a program reads the rows of a query batch by batch."},
	{"listen", "", "LISTEN", "A program subscribes to a view with DB.Subscribe."},
	{"notify", "", "NOTIFY", "A program subscribes to a view with DB.Subscribe."},
	{"vacuum", "", "VACUUM", noUpkeep},
	{"analyze", "", "ANALYZE", noUpkeep},
	{"analyse", "", "ANALYSE", noUpkeep},
	{"cluster", "", "CLUSTER", noUpkeep},
	{"reindex", "", "REINDEX", noUpkeep},
	{"checkpoint", "", "CHECKPOINT", noUpkeep},
	{"explain verbose", "", "EXPLAIN VERBOSE", allNamed},
	{"explain ( verbose", "", "EXPLAIN VERBOSE", allNamed},
	{"explain analyze verbose", "", "EXPLAIN VERBOSE", allNamed},
}

// Strangers names the statements and parts of statements that are refused because
// the grammar does not have them, in the order of their table.
func Strangers() []string {
	var out []string
	for _, s := range strangers {
		if n := len(out); n == 0 || out[n-1] != s.what {
			out = append(out, s.what)
		}
	}
	return out
}

// strange finds the row for a statement in which the parser stopped at t: behind
// the words at most by one, so that the statement is not another one with a
// mistake further on.
func strange(t *token, rec antlr.Recognizer) (stranger, bool) {
	p, ok := rec.(antlr.Parser)
	if !ok {
		return stranger{}, false
	}
	ts, ok := p.GetTokenStream().(*tokens)
	if !ok {
		return stranger{}, false
	}
	for _, s := range strangers {
		n, fits := spelled(ts, 0, s.words)
		switch {
		case !fits:
		case s.at == "" && t.index <= n:
			return s, true
		case s.at != "":
			if _, here := spelled(ts, t.index-strings.Count(s.at, " "), s.at); here {
				return s, true
			}
		}
	}
	return stranger{}, false
}

// spelled says whether words stand in ts from i on, none in quotes, and how many
// they are.
func spelled(ts *tokens, i int, words string) (n int, ok bool) {
	for w := range strings.SplitSeq(words, " ") {
		if i+n < 0 || i+n >= len(ts.list) || !strings.EqualFold(ts.list[i+n].text(), w) {
			return n, false
		}
		n++
	}
	return n, true
}
