package main

// synopsis is how a statement is written: words in capitals and signs as they
// stand, names and values in small letters, [what may be left out], {one | of
// these}, and .. for more of the same. A form begins a line, and the lines that
// are indented go on with it. Where says what some of the small words are.
//
// A test types every form, and another looks for each word of the grammar here.
type synopsis struct {
	name, text string
	where      []meaning
}

type meaning struct{ name, text string }

// synopses are what \h knows, by name.
func synopses() []synopsis {
	// What several statements have.
	columnMeaning := meaning{"column_definition", "column type [NOT NULL | NULL] [DEFAULT value] [[CONSTRAINT name] {PRIMARY KEY | UNIQUE | CHECK (condition)}]"}
	constraint := meaning{"constraint", "[CONSTRAINT name] {PRIMARY KEY (column, ..) | UNIQUE (column, ..) | CHECK (condition)}"}
	modeMeaning := meaning{"mode", "{AUTO | INCREMENTAL | INCREMENTAL FALLBACK | COMPLETE}"}
	triggerMeaning := meaning{"trigger", `{ON MANUAL
     | ON COMMIT [SYNC | ASYNC]
     | ON SCHEDULE EVERY number unit [STARTS 'time']
     | ON SCHEDULE CRON 'm h day month weekday' [AT TIME ZONE 'zone']
     | WITH LAG 'interval'}`}
	propertyMeaning := meaning{"property", `'key' = 'value'`}
	buckets := "[DISTRIBUTED BY {HASH (column, ..) | RANDOM} [BUCKETS {number | AUTO}]]"
	itemMeaning := meaning{"item", "{* | table.* | expression [[AS] label]}"}
	fromMeaning := meaning{"source", `{relation [reading] [[AS] alias [(column, ..)]]
     | [LATERAL] table_function(value, ..) [WITH ORDINALITY] [[AS] alias [(column, ..)]]
     | [LATERAL] (query) [[AS] alias [(column, ..)]]
     | (source join)
     | source join}`}
	joinMeaning := meaning{"join", `{[INNER | {LEFT | RIGHT | FULL} [OUTER]] JOIN source {ON condition | USING (key, ..)}
     | NATURAL [INNER | {LEFT | RIGHT | FULL} [OUTER]] JOIN source
     | CROSS JOIN source}`}
	readMeaning := meaning{"reading", `{FOR TIME AS OF time
     | FOR VERSION AS OF version
     | @incr([property, ..])
     | @snapshot()
     | @reset()}`}
	orderItem := meaning{"order", "expression [ASC | DESC] [NULLS {FIRST | LAST}]"}
	withMeaning := meaning{"with", "WITH name [(column, ..)] AS (query), .."}
	return []synopsis{
		{"ALTER MATERIALIZED VIEW", `ALTER MATERIALIZED VIEW [IF EXISTS] view REFRESH {mode | trigger | mode trigger}
ALTER MATERIALIZED VIEW [IF EXISTS] view SET (property, ..)
ALTER MATERIALIZED VIEW [IF EXISTS] view REPLACE WITH MATERIALIZED VIEW view [PROPERTIES ('swap' = {'true' | 'false'})]
ALTER MATERIALIZED VIEW [IF EXISTS] view RENAME {[TO] name | [COLUMN] column TO name}`, []meaning{modeMeaning, triggerMeaning, propertyMeaning}},
		{"ALTER STREAM", "ALTER STREAM stream {SET | MODIFY} COMMENT 'text'", nil},
		{"ALTER TABLE", `ALTER TABLE [IF EXISTS] table action, ..
ALTER TABLE [IF EXISTS] table RENAME {[TO] name | [COLUMN] column TO name | CONSTRAINT check TO name}`, []meaning{
			{"action", `{ADD [COLUMN] [IF NOT EXISTS] new_column
     | ADD [CONSTRAINT name] CHECK (condition)
     | DROP CONSTRAINT [IF EXISTS] check [CASCADE | RESTRICT]
     | ALTER [COLUMN] column {SET DEFAULT value | DROP DEFAULT | SET NOT NULL | DROP NOT NULL}
     | SET (property, ..)}`},
			{"new_column", "name type [NOT NULL | NULL] [DEFAULT value]"},
			propertyMeaning}},
		{"ALTER VIEW", "ALTER VIEW [IF EXISTS] plain_view RENAME {[TO] name | [COLUMN] column TO name}", nil},
		{"BEGIN", "{BEGIN [TRANSACTION | WORK] | START TRANSACTION}", nil},
		{"CANCEL", "CANCEL MATERIALIZED VIEW TASK number ON view", nil},
		{"COMMIT", "{COMMIT | END} [TRANSACTION | WORK]", nil},
		{"COPY", `COPY table [(column, ..)] FROM 'file' [[WITH] (option, ..)]
COPY {table [(column, ..)] | (query)} TO 'file' [[WITH] (option, ..)]`, []meaning{
			{"option", `{FORMAT {csv | json | parquet | arrow} | HEADER [TRUE | FALSE] | NULL 'text' | DELIMITER 'sign' | QUOTE 'sign' | ESCAPE 'sign'}`}}},
		{"CREATE MATERIALIZED VIEW", `CREATE {[OR REPLACE] MATERIALIZED VIEW | MATERIALIZED VIEW IF NOT EXISTS} name [(column [COMMENT 'text'], ..)]
    [BUILD {IMMEDIATE | DEFERRED}] [REFRESH {mode | trigger | mode trigger}] [[DUPLICATE] KEY (column, ..)] [COMMENT 'text']
    ` + buckets + `
    [PROPERTIES (property, ..)] AS query [WITH [NO] DATA]`, []meaning{modeMeaning, triggerMeaning, propertyMeaning}},
		{"CREATE STREAM", "CREATE STREAM [IF NOT EXISTS] name ON TABLE table [COMMENT 'text'] [PROPERTIES (property, ..)]", []meaning{propertyMeaning}},
		{"CREATE TABLE", `CREATE TABLE [IF NOT EXISTS] name ({column_definition | constraint | LIKE relation [{INCLUDING | EXCLUDING} part ..]}, ..)
    [{UNIQUE | DUPLICATE} KEY (column, ..)] ` + buckets + ` [PROPERTIES (property, ..)]
CREATE TABLE [IF NOT EXISTS] name [(column, ..)] [{UNIQUE | DUPLICATE} KEY (column, ..)] AS query [WITH [NO] DATA]`, []meaning{
			columnMeaning, constraint, {"part", "{COMMENTS | CONSTRAINTS | DEFAULTS | INDEXES | ALL}"}, propertyMeaning}},
		{"CREATE VIEW", "CREATE [OR REPLACE] VIEW name [(column, ..)] AS query", nil},
		{"DELETE", "[with] DELETE FROM table [[AS] alias] [USING source, ..] [WHERE condition] [RETURNING item, ..]", []meaning{withMeaning, itemMeaning, fromMeaning, joinMeaning, readMeaning}},
		{"DESCRIBE", "{DESCRIBE | DESC} relation", nil},
		{"DROP", `DROP {TABLE [IF EXISTS] table | VIEW [IF EXISTS] plain_view | MATERIALIZED VIEW [IF EXISTS] view}, .. [CASCADE | RESTRICT]
DROP STREAM [IF EXISTS] stream [FORCE]`, nil},
		{"EXPLAIN", `EXPLAIN [(option, ..)]
    {query | CREATE MATERIALIZED VIEW name AS query | REFRESH MATERIALIZED VIEW view [mode]}
EXPLAIN [ANALYZE] [STAGE stage] [FORMAT format]
    {query | CREATE MATERIALIZED VIEW name AS query | REFRESH MATERIALIZED VIEW view [mode]}
EXPLAIN REFRESH MATERIALIZED VIEW view INCREMENTAL WITH ALL STREAMS`, []meaning{
			{"option", "{ANALYZE [TRUE | FALSE] | STAGE stage | FORMAT format}"},
			{"stage", "{algebra | normalized | delta | full | all}"},
			{"format", "{text | json | dot | mermaid | svg}"}, modeMeaning}},
		{"INSERT", `[with] INSERT INTO table [AS alias] [(column)] {VALUES ({value | DEFAULT}, ..), .. | query | DEFAULT VALUES}
    [ON CONFLICT [(column, ..)] DO NOTHING] [RETURNING item, ..]
[with] INSERT INTO table [AS alias] [(column)] {VALUES ({value | DEFAULT}, ..), .. | query | DEFAULT VALUES}
    ON CONFLICT {(column, ..) | ON CONSTRAINT key_name} DO UPDATE SET assignment, .. [WHERE condition] [RETURNING item, ..]`, []meaning{
			{"assignment", "{column = {value | DEFAULT} | (column, ..) = [ROW] (value, ..)}"}, withMeaning, itemMeaning}},
		{"PAUSE", "PAUSE MATERIALIZED VIEW JOB ON view", nil},
		{"REFRESH MATERIALIZED VIEW", `REFRESH MATERIALIZED VIEW view [mode] [CASCADE]
REFRESH MATERIALIZED VIEW view INCREMENTAL WITH DRY RUN [LIMIT {number [OFFSET number] | number, number}]`, []meaning{modeMeaning}},
		{"RELEASE", "RELEASE [SAVEPOINT] name", nil},
		{"RESUME", "RESUME MATERIALIZED VIEW JOB ON view", nil},
		{"ROLLBACK", "{ROLLBACK | ABORT} [TRANSACTION | WORK] [TO [SAVEPOINT] name]", nil},
		{"SAVEPOINT", "SAVEPOINT name", nil},
		{"SELECT", `[with] SELECT [ALL | DISTINCT [ON (expression, ..)]] item, .. [FROM source, ..] [WHERE condition]
    [GROUP BY [ALL | DISTINCT] group, ..] [HAVING condition] [WINDOW name AS (window), ..]
    [set_operation ..] [ORDER BY order, ..] [LIMIT {number | ALL}] [OFFSET number [ROW | ROWS]]
[with] SELECT item, .. [FROM source, ..] [OFFSET number] FETCH {FIRST | NEXT} [number] {ROW | ROWS} ONLY
VALUES (value, ..), .. [set_operation ..] [ORDER BY 1] [LIMIT {number | ALL}]
TABLE relation`, []meaning{
			withMeaning, itemMeaning, fromMeaning, joinMeaning, readMeaning, orderItem,
			{"group", "{expression | () | ROLLUP (expression, ..) | CUBE (expression, ..) | GROUPING SETS (group, ..)}"},
			{"set_operation", "{UNION | INTERSECT | EXCEPT} [ALL | DISTINCT] query"},
			{"aggregate", "function([ALL | DISTINCT] expression, .. [ORDER BY order, ..]) [WITHIN GROUP (ORDER BY order, ..)] [FILTER (WHERE condition)]"},
			{"window_call", "function(expression, ..) [FILTER (WHERE condition)] OVER {name | (window)}"},
			{"window", "[name] [PARTITION BY expression, ..] [ORDER BY order, ..] [frame]"},
			{"frame", "{RANGE | ROWS | GROUPS} {bound | BETWEEN bound AND bound} [EXCLUDE {CURRENT ROW | GROUP | TIES | NO OTHERS}]"},
			{"bound", "{UNBOUNDED PRECEDING | value PRECEDING | CURRENT ROW | value FOLLOWING | UNBOUNDED FOLLOWING}"}}},
		{"SET", `SET setting {= | TO} {value | DEFAULT}
SET TIME ZONE {'zone' | LOCAL | DEFAULT}`, nil},
		{"SHOW", `SHOW {setting | TIME ZONE | ALL | TABLES | VIEWS | MATERIALIZED VIEWS}
SHOW COLUMNS {FROM | IN} relation
SHOW STREAMS [{FROM | IN} public] [LIKE 'pattern' | WHERE condition]
SHOW CREATE {TABLE table | VIEW plain_view | MATERIALIZED VIEW view | STREAM stream}`, nil},
		{"TRUNCATE", "TRUNCATE [TABLE] table, .. [CONTINUE IDENTITY] [CASCADE | RESTRICT]", nil},
		{"UPDATE", "[with] UPDATE table [[AS] alias] SET assignment, .. [FROM source, ..] [WHERE condition] [RETURNING item, ..]", []meaning{
			{"assignment", "{column = {value | DEFAULT} | (column, ..) = [ROW] (value, ..) | (column, ..) = (query)}"},
			withMeaning, itemMeaning, fromMeaning, joinMeaning, readMeaning}},
		{"VERIFY", "VERIFY MATERIALIZED VIEW view", nil},
	}
}
