package main

import (
	"context"
	"fmt"
	"strings"
)

// synopsis is how a statement is written.
type synopsis struct{ name, text string }

// synopses are what \h knows, by name.
func synopses() []synopsis {
	return []synopsis{
		{"ALTER TABLE", `ALTER TABLE [IF EXISTS] name ADD [COLUMN] column type [NOT NULL] [DEFAULT value]
ALTER TABLE [IF EXISTS] name {ALTER [COLUMN] column {SET DEFAULT value | DROP DEFAULT} | DROP CONSTRAINT [IF EXISTS] name}, ..
ALTER TABLE [IF EXISTS] name RENAME {TO name | [COLUMN] column TO column | CONSTRAINT name TO name}`},
		{"ALTER VIEW", "ALTER [MATERIALIZED] VIEW [IF EXISTS] name RENAME {TO name | [COLUMN] column TO column}"},
		{"BEGIN", "BEGIN"},
		{"COMMIT", "COMMIT"},
		{"COPY", `COPY table [(column, ..)] FROM 'file' [WITH (option [value], ..)]
COPY {table [(column, ..)] | (query)} TO 'file' [WITH (option [value], ..)]

options: FORMAT csv|json|parquet|arrow, HEADER, NULL, DELIMITER, QUOTE, ESCAPE`},
		{"CREATE MATERIALIZED VIEW", `CREATE [OR REPLACE] MATERIALIZED VIEW [IF NOT EXISTS] name [(column, ..)]
    [BUILD DEFERRED] [REFRESH {AUTO | INCREMENTAL | COMPLETE}] AS query`},
		{"CREATE TABLE", `CREATE TABLE [IF NOT EXISTS] name (
    {column type [NOT NULL] [DEFAULT value] [PRIMARY KEY] [UNIQUE] [CHECK (condition)]
     | [CONSTRAINT name] {PRIMARY KEY (column, ..) | UNIQUE (column, ..) | CHECK (condition)}
     | LIKE relation [{INCLUDING | EXCLUDING} {DEFAULTS | CONSTRAINTS | INDEXES | ALL} ..]}, ..
) [UNIQUE KEY (column, ..) | DUPLICATE KEY (column, ..)]
CREATE TABLE [IF NOT EXISTS] name [(column, ..)] [UNIQUE KEY (column, ..) | DUPLICATE KEY (column, ..)] AS query [WITH [NO] DATA]`},
		{"CREATE VIEW", "CREATE [OR REPLACE] VIEW name [(column, ..)] AS query"},
		{"DELETE", "[WITH ..] DELETE FROM table [[AS] alias] [USING relation, ..] [WHERE condition] [RETURNING expression, ..]"},
		{"DESCRIBE", "DESCRIBE name"},
		{"DROP", "DROP {TABLE | VIEW | MATERIALIZED VIEW} [IF EXISTS] name, .. [CASCADE]"},
		{"EXPLAIN", `EXPLAIN [(STAGE stage, FORMAT format, ANALYZE)] {query | CREATE MATERIALIZED VIEW .. | REFRESH MATERIALIZED VIEW name}

stages: algebra, normalized, delta, full, all; formats: text, json, dot, mermaid`},
		{"INSERT", `INSERT INTO table [(column, ..)] {VALUES (value, ..), .. | query}
    [ON CONFLICT [(column, ..)] {DO NOTHING | DO UPDATE SET column = value, .. [WHERE condition]}]
    [RETURNING expression, ..]`},
		{"REFRESH MATERIALIZED VIEW", "REFRESH MATERIALIZED VIEW name [AUTO | INCREMENTAL | COMPLETE]"},
		{"RELEASE", "RELEASE [SAVEPOINT] name"},
		{"ROLLBACK", "ROLLBACK [TO [SAVEPOINT] name]"},
		{"SAVEPOINT", "SAVEPOINT name"},
		{"SELECT", `[WITH name [(column, ..)] AS (query), ..]
SELECT [DISTINCT] {* | expression [[AS] name]}, ..
    [FROM {relation | (query)} [[AS] alias] [[INNER | LEFT | RIGHT | FULL | CROSS] JOIN .. [ON condition | USING (column, ..)]], ..]
    [WHERE condition] [GROUP BY expression, ..] [HAVING condition] [WINDOW name AS (..), ..]
    [{UNION | INTERSECT | EXCEPT} [ALL] query]
    [ORDER BY expression [ASC | DESC] [NULLS FIRST | LAST], ..] [LIMIT n] [OFFSET n]

a window: function(..) OVER ([PARTITION BY expression, ..] [ORDER BY expression, ..] [{ROWS | RANGE | GROUPS} BETWEEN .. AND ..])`},
		{"SET", "SET name = value"},
		{"SHOW", `SHOW {name | ALL | TABLES | VIEWS | MATERIALIZED VIEWS | COLUMNS FROM name}
SHOW CREATE {TABLE | VIEW | MATERIALIZED VIEW} name`},
		{"TRUNCATE", "TRUNCATE [TABLE] name, .."},
		{"UPDATE", `[WITH ..] UPDATE table [[AS] alias] SET {column = value | (column, ..) = (value, ..)}, ..
    [FROM relation, ..] [WHERE condition] [RETURNING expression, ..]`},
	}
}

// syntax is \h.
func (sh *shell) syntax(_ context.Context, arg string) error {
	all := synopses()
	if arg == "" {
		if err := sh.say("Statements, each told by \\h NAME:\n"); err != nil {
			return err
		}
		for _, s := range all {
			if err := sh.say("  %s\n", s.name); err != nil {
				return err
			}
		}
		return nil
	}
	found := false
	word := strings.ToUpper(strings.Join(strings.Fields(arg), " "))
	for _, s := range all {
		if word == "*" || strings.HasPrefix(s.name, word) {
			found = true
			if err := sh.say("%s\n\n", s.text); err != nil {
				return err
			}
		}
	}
	if !found {
		return fmt.Errorf("there is no help for %q; \\h lists the statements", arg)
	}
	return nil
}
