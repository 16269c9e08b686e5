// The syntax of ivmc's SQL.
//
// Words and quotes are read by ast's scanner (identifiers fold, strings and
// comments nest as in PostgreSQL; dollar quotes need a memory that a lexer
// rule has not), so this is a parser grammar: a token is named here, and the
// word behind it stands in ast/keywords.go.
//
// Two choices keep every decision within one or two tokens, so that SLL
// prediction suffices and no construct costs a long look-ahead:
//
//   - An expression is a flat row of terms and operators. ast/precedence.go
//     gives it its shape from one table, exactly as PostgreSQL's grammar does
//     (non-associative comparisons, NOT below IS, minus below a cast). A chain
//     of ten thousand terms is a loop here and not a deep tree.
//   - What follows "(" is a query if it starts with SELECT, VALUES or WITH;
//     else an expression or a table. "((SELECT 1) UNION SELECT 2)" is an
//     expression with a query's tail, and ast puts it right.
//
// Regenerate with grammar/gen.sh (make generate).
parser grammar IVM;

tokens {
    // Classes of tokens.
    IDENT, QIDENT, STRING, NUMBER, PARAM,
    // Runs of plain constants, read whole by the scanner: "(1, 'a'), (2, NULL)"
    // after VALUES, and "1, 2, 3" after IN (. A million rows are one token.
    PLAIN_ROWS, PLAIN_LIST,
    // PostgreSQL's reserved words that no rule uses, and its functions without parentheses.
    RESERVED_WORD, TYPE_FUNC_WORD, NILADIC,
    // An operator of no own rule, a sign that is none, and a place where the scanner gave up.
    OTHER_OPERATOR, OTHER_SIGN, BROKEN,
    // Words with two meanings that tokenise tells apart by what stands around
    // them: the ON of ON CONFLICT, and the IN of POSITION (a IN b).
    ON_CONFLICT, POSITION_IN,
    // Punctuation.
    LPAREN, RPAREN, LBRACKET, RBRACKET, COMMA, SEMI, DOT, COLON, TYPECAST,
    PLUS, MINUS, STAR, SLASH, PERCENT, CARET, CONCAT, EQ, NE, LT, LE, GT, GE,
    // Reserved words.
    ALL, ANALYZE, AND, ANY, ARRAY, AS, ASC, ASYMMETRIC, BOTH, CASE, CAST, CHECK, COLLATE, COLUMN,
    CONSTRAINT, CREATE, DEFAULT, DESC, DISTINCT, DO, ELSE, END, EXCEPT, FALSE, FETCH, FOR, FOREIGN,
    FROM, GROUP, HAVING, IN, INTERSECT, INTO, LATERAL, LEADING, LIMIT, NOT, NULL, OFFSET, ON, ONLY, OR,
    ORDER, PLACING, PRIMARY, REFERENCES, RETURNING, SELECT, SOME, SYMMETRIC, TABLE, THEN, TO, TRAILING,
    TRUE, UNION, UNIQUE, USING, WHEN, WHERE, WINDOW, WITH,
    // Words that may name a function or type only.
    CROSS, FULL, ILIKE, INNER, IS, ISNULL, JOIN, LEFT, LIKE, NATURAL, NOTNULL, OUTER, RIGHT, SIMILAR,
    // Words that may name anything but a function or type.
    BETWEEN, CHARACTER, EXISTS, EXTRACT, INTERVAL, OVERLAY, POSITION, PRECISION, ROW, SUBSTRING, TIME,
    TIMESTAMP, TRIM, VALUES,
    // Words that may name anything.
    ABORT, ACTION, ADD, ALTER, AT, AUTO, BEGIN, BUILD, BY, CANCEL, CASCADE, COMMENT, COMMIT, COMPLETE, CONFLICT,
    CONTINUE, COPY, CURRENT, DATA, DAY, DEFERRED, DELETE, DESCRIBE, DISTRIBUTED, DROP, DUPLICATE, ESCAPE, EXCLUDE, EXCLUDING, EXPLAIN, FILTER,
    FIRST, FOLLOWING, FORMAT, GENERATED, GROUPS, HOUR, IDENTITY, IF, IMMEDIATE, INCLUDING, INCREMENTAL, INDEX, INSERT, KEY, LAST, LOCAL,
    MATERIALIZED, MINUTE, MONTH, NEXT, NO, NOTHING, NULLS, OF, ORDINALITY, OTHERS, OVER, PARTITION, PAUSE, PRECEDING, PROPERTIES, RANGE,
    RECURSIVE, REFRESH, RELEASE, RENAME, REPLACE, RESTART, RESTRICT, RESUME, ROLLBACK, ROWS, SAVEPOINT, SECOND, SET, SHOW, STAGE, START, STREAM, TIES,
    TRANSACTION, TRUNCATE, UNBOUNDED, UNKNOWN, UPDATE, VARYING, VERIFY, VERSION, VIEW, WITHIN, WITHOUT, WORK, YEAR, ZONE
}

// ---- statements ----

script
    : statement SEMI* EOF
    ;

statement
    : with? (bareQuery | insert | update | delete)
    | createTable
    | createView
    | createMaterializedView
    | createIndex
    | createStream
    | drop
    | dropStream
    | alter
    | alterStream
    | truncate
    | comment
    | refresh
    | job
    | verify
    | copy
    | explain
    | set
    | show
    | describe
    | begin
    | commit
    | rollback
    | savepoint
    | release
    ;

createTable
    : CREATE TABLE ifNotExists? qualified (LPAREN tableElement (COMMA tableElement)* RPAREN tableKey* distributed? properties? | nameList? tableKey* AS query withData?)
    ;

// Whether the rows of the query come along.
withData
    : WITH NO? DATA
    ;

ifNotExists
    : IF NOT EXISTS
    ;

tableElement
    : columnDef
    | tableConstraint
    | LIKE qualified likeOption*
    ;

likeOption
    : (INCLUDING | EXCLUDING) (word | ALL)
    ;

columnDef
    : name typeName columnConstraint*
    ;

// PRIMARY KEY (..), CHECK (..) and UNIQUE (..) are kept; FOREIGN KEY is read so
// that it can be refused by its name.
tableConstraint
    : constraintName? (PRIMARY KEY nameList | UNIQUE nameList | CHECK LPAREN expr RPAREN | FOREIGN KEY nameList references)
    ;

columnConstraint
    : constraintName? (NOT NULL | NULL | PRIMARY KEY | UNIQUE | CHECK LPAREN expr RPAREN | DEFAULT expr | references | generated)
    ;

constraintName
    : CONSTRAINT name
    ;

references
    : REFERENCES qualified nameList? (ON (DELETE | UPDATE) (NO ACTION | RESTRICT | CASCADE | SET (NULL | DEFAULT)))*
    ;

generated
    : GENERATED (word | DEFAULT)+ AS (IDENTITY | LPAREN expr RPAREN word)
    ;

tableKey
    : (UNIQUE | DUPLICATE) KEY nameList
    ;

properties
    : PROPERTIES LPAREN property (COMMA property)* RPAREN
    ;

property
    : propertyText EQ propertyText
    ;

propertyText
    : STRING
    | QIDENT
    ;

createView
    : CREATE orReplace? VIEW qualified nameList? AS query
    ;

orReplace
    : OR REPLACE
    ;

createMaterializedView
    : CREATE orReplace? MATERIALIZED VIEW ifNotExists? qualified viewColumns? build? refreshClause? viewKey? (COMMENT STRING)? partitioned? distributed? properties? AS query withData?
    ;

viewColumns
    : LPAREN viewColumn (COMMA viewColumn)* RPAREN
    ;

viewColumn
    : name (COMMENT STRING)?
    ;

// Read so that it can be refused by its name.
partitioned
    : PARTITION BY LPAREN expr (COMMA expr)* RPAREN
    ;

createIndex
    : CREATE UNIQUE? INDEX TYPE_FUNC_WORD? (ifNotExists? name)? ON qualified (USING name)? LPAREN orderItem (COMMA orderItem)* RPAREN where?
    ;

createStream
    : CREATE orReplace? STREAM ifNotExists? qualified ON TABLE qualified (COMMENT STRING)? properties?
    ;

// The word is FORCE.
dropStream
    : DROP STREAM ifExists? qualified word?
    ;

// The word is MODIFY.
alterStream
    : ALTER STREAM qualified (SET | word) COMMENT STRING
    ;

build
    : BUILD (IMMEDIATE | DEFERRED)
    ;

refreshClause
    : REFRESH (refreshMode trigger? | trigger)
    ;

// The words are SYNC, ASYNC; MANUAL; SCHEDULE EVERY, SCHEDULE CRON; LAG.
trigger
    : ON COMMIT IDENT?
    | ON IDENT (IDENT (NUMBER word starts? | STRING atZone?))?
    | WITH IDENT STRING
    ;

// The word is STARTS.
starts
    : IDENT STRING
    ;

atZone
    : AT TIME ZONE STRING
    ;

// The words are HASH or RANDOM, and BUCKETS.
distributed
    : DISTRIBUTED BY IDENT nameList? (IDENT (NUMBER | AUTO))?
    ;

viewKey
    : DUPLICATE? KEY nameList
    ;

// The word is FALLBACK; PARTITIONS, which is read so that it can be refused by its name.
refreshMode
    : COMPLETE
    | AUTO
    | INCREMENTAL IDENT?
    | IDENT (IDENT | nameList)?
    ;

drop
    : DROP (TABLE | VIEW | MATERIALIZED VIEW | INDEX) ifExists? qualified (COMMA qualified)* dependents?
    ;

dependents
    : CASCADE
    | RESTRICT
    ;

ifExists
    : IF EXISTS
    ;

alter
    : ALTER TABLE ifExists? qualified (rename | alterAction (COMMA alterAction)*)
    | ALTER MATERIALIZED? VIEW ifExists? qualified rename
    | ALTER MATERIALIZED VIEW ifExists? qualified alterView
    ;

alterView
    : refreshClause
    | SET LPAREN property (COMMA property)* RPAREN
    | REPLACE WITH MATERIALIZED VIEW qualified properties?
    ;

alterAction
    : ADD COLUMN? ifNotExists? columnDef
    | ADD tableConstraint
    | DROP CONSTRAINT ifExists? name dependents?
    | DROP COLUMN? ifExists? name dependents?
    | ALTER COLUMN? name alterColumn
    | SET LPAREN property (COMMA property)* RPAREN
    ;

rename
    : RENAME (COLUMN? name | CONSTRAINT name)? TO name
    | RENAME name
    ;

// A new type is read so that it can be refused by its name.
alterColumn
    : SET (NOT NULL | DEFAULT expr)
    | DROP (NOT NULL | DEFAULT)
    | (SET word)? word typeName
    ;

comment
    : COMMENT ON (TABLE | VIEW | MATERIALIZED VIEW | COLUMN) qualified IS (STRING | NULL)
    ;

truncate
    : TRUNCATE TABLE? qualified (COMMA qualified)* ((RESTART | CONTINUE) IDENTITY)? dependents?
    ;

insert
    : INSERT INTO qualified (AS name)? nameList? (query | DEFAULT VALUES) onConflict? returning?
    ;

onConflict
    : ON_CONFLICT CONFLICT (nameList where? | ON CONSTRAINT name)? DO (NOTHING | UPDATE SET assignment (COMMA assignment)* where?)
    ;

returning
    : RETURNING selectItem (COMMA selectItem)*
    ;

update
    : UPDATE qualified updateAlias? SET assignment (COMMA assignment)* from? where? returning?
    ;

// SET ends the name of the table, so an alias called set needs AS.
updateAlias
    : AS name
    | bareLabel
    ;

assignment
    : name EQ (expr | DEFAULT)
    | nameList EQ ROW? LPAREN (plainQuery | cell (COMMA cell)*) RPAREN
    ;

delete
    : DELETE FROM qualified (AS? name)? (USING fromItem (COMMA fromItem)*)? where? returning?
    ;

refresh
    : REFRESH MATERIALIZED VIEW qualified refreshMode? (CASCADE | dryRun | allStreams)?
    ;

// The words are DRY RUN.
dryRun
    : WITH IDENT IDENT (LIMIT NUMBER (COMMA NUMBER | OFFSET NUMBER)?)?
    ;

// The word is STREAMS.
allStreams
    : WITH ALL IDENT
    ;

// The words are JOB and TASK.
job
    : (PAUSE | RESUME) MATERIALIZED VIEW IDENT ON qualified
    | CANCEL MATERIALIZED VIEW IDENT NUMBER ON qualified
    ;

verify
    : VERIFY MATERIALIZED VIEW qualified
    ;

copy
    : COPY (qualified nameList? (FROM | TO) | LPAREN query RPAREN TO) STRING copyOptions?
    ;

copyOptions
    : WITH? LPAREN copyOption (COMMA copyOption)* RPAREN
    ;

copyOption
    : (word | NULL) optionValue?
    ;

explain
    : EXPLAIN (LPAREN explainOption (COMMA explainOption)* RPAREN)? explainWord* explained
    ;

explained
    : query
    | createMaterializedView
    | refresh
    ;

explainOption
    : (word | ANALYZE) optionValue?
    ;

explainWord
    : ANALYZE
    | (STAGE | FORMAT) optionValue
    ;

optionValue
    : word
    | TRUE
    | FALSE
    | ON
    | FULL
    | ALL
    | NUMBER
    | STRING
    ;

set
    : SET TIME ZONE (settingValue | LOCAL | DEFAULT)
    | SET settingName (EQ | TO) (settingValue | LOCAL | DEFAULT)
    ;

settingName
    : name (DOT name)*
    ;

// A bare LOCAL is left out: it is the time zone's default and a value elsewhere.
settingValue
    : STRING
    | (PLUS | MINUS)? NUMBER
    | TRUE
    | FALSE
    | ON
    | IDENT
    | QIDENT
    | plainWord
    | lateWord
    ;

// TABLES, VIEWS and COLUMNS are no words of the grammar: they would be settings
// as well, and ast tells them apart.
show
    : SHOW (TIME ZONE | ALL | settingName | MATERIALIZED IDENT | IDENT (FROM | IN) qualified (LIKE STRING | where)? | IDENT (LIKE STRING | where) | CREATE objectKind qualified)
    ;

objectKind
    : TABLE
    | STREAM
    | VIEW
    | MATERIALIZED VIEW
    ;

describe
    : (DESCRIBE | DESC) qualified
    ;

begin
    : BEGIN (TRANSACTION | WORK)?
    | START TRANSACTION
    ;

commit
    : (COMMIT | END) (TRANSACTION | WORK)?
    ;

rollback
    : (ROLLBACK | ABORT) (TRANSACTION | WORK)? (TO SAVEPOINT? name)?
    ;

savepoint
    : SAVEPOINT name
    ;

release
    : RELEASE SAVEPOINT? name
    ;

// ---- queries ----

query
    : with? bareQuery
    ;

bareQuery
    : queryTerm setArm* queryTail
    ;

// A query that does not start with a parenthesis: see the head of the file.
plainQuery
    : (with queryTerm | plainTerm) setArm* queryTail
    ;

with
    : WITH RECURSIVE? cte (COMMA cte)*
    ;

cte
    : name nameList? AS (NOT? MATERIALIZED)? LPAREN query RPAREN
    ;

queryTerm
    : plainTerm
    | LPAREN query RPAREN
    ;

plainTerm
    : select
    | values
    | TABLE qualified
    ;

setArm
    : (UNION | INTERSECT | EXCEPT) (ALL | DISTINCT)? queryTerm
    ;

queryTail
    : orderBy? (limitClause | lockClause)*
    ;

// Rows are not locked: refused by its name. The words are SHARE, and NOWAIT or SKIP LOCKED.
lockClause
    : FOR (UPDATE | NO KEY UPDATE | IDENT | KEY IDENT) (OF qualified (COMMA qualified)*)? (IDENT IDENT?)?
    ;

orderBy
    : ORDER BY orderItem (COMMA orderItem)*
    ;

orderItem
    : expr (ASC | DESC)? (NULLS (FIRST | LAST))?
    ;

limitClause
    : LIMIT (expr | ALL)
    | OFFSET expr (ROW | ROWS)?
    | FETCH (FIRST | NEXT) (fetchCount | LPAREN expr RPAREN)? (ROW | ROWS) (ONLY | WITH TIES)
    ;

fetchCount
    : PLUS? NUMBER
    | PARAM
    ;

// No columns are for EXISTS alone.
select
    : SELECT (ALL | DISTINCT distinctOn?)? (selectItem (COMMA selectItem)* from? | from) where? groupBy? having? windows?
    ;

distinctOn
    : ON LPAREN expr (COMMA expr)* RPAREN
    ;

selectItem
    : STAR
    | expr (AS anyLabel | bareLabel)?
    ;

from
    : FROM fromItem (COMMA fromItem)*
    ;

where
    : WHERE expr
    ;

groupBy
    : GROUP BY (ALL | DISTINCT)? groupItem (COMMA groupItem)*
    ;

// The two words are GROUPING SETS, which is refused by its name.
groupItem
    : expr
    | LPAREN RPAREN
    | IDENT IDENT LPAREN groupItem (COMMA groupItem)* RPAREN
    ;

having
    : HAVING expr
    ;

windows
    : WINDOW namedWindow (COMMA namedWindow)*
    ;

namedWindow
    : name AS LPAREN windowSpec RPAREN
    ;

values
    : VALUES row (COMMA row)*
    ;

row
    : PLAIN_ROWS
    | LPAREN cell (COMMA cell)* RPAREN
    ;

cell
    : DEFAULT
    | expr
    ;

// Joins are a flat row too: ON closes the innermost join that is still open.
fromItem
    : tablePrimary joinPart*
    ;

joinPart
    : CROSS JOIN tablePrimary
    | NATURAL joinKind? JOIN tablePrimary
    | joinKind? JOIN tablePrimary
    | ON expr
    | USING nameList
    ;

joinKind
    : INNER
    | (LEFT | RIGHT | FULL) OUTER?
    ;

tablePrimary
    : LATERAL? qualified reading? tableAlias? sample?
    | LATERAL? word (DOT anyLabel)* LPAREN argumentList? RPAREN (WITH ORDINALITY)? tableAlias?
    | LATERAL? LPAREN (plainQuery | fromItem setArm* queryTail) RPAREN tableAlias?
    ;

// The first word is TABLESAMPLE, which is refused by its name; the last one REPEATABLE.
sample
    : TYPE_FUNC_WORD word LPAREN argumentList? RPAREN (IDENT LPAREN expr RPAREN)?
    ;

// Another reading of a relation than its rows of now: t@incr(..), s@snapshot(),
// s@reset(), and the rows of another time. The sign is an @.
reading
    : OTHER_OPERATOR name LPAREN (property (COMMA property)*)? RPAREN
    | FOR (TIME | VERSION) AS OF expr
    ;

tableAlias
    : AS? name nameList?
    ;

// ---- expressions ----

expr
    : term exprPart*
    ;

term
    : prefix* primary
    ;

prefix
    : PLUS
    | MINUS
    | NOT
    | OTHER_OPERATOR
    ;

exprPart
    : operator (term | (ANY | SOME | ALL) quantified)
    | TYPECAST typeName
    | IS NOT? (NULL | TRUE | FALSE | UNKNOWN | DISTINCT FROM term)
    | ISNULL
    | NOTNULL
    | AT TIME ZONE term
    | COLLATE qualified
    | LBRACKET (expr (COLON expr?)? | COLON expr?) RBRACKET
    | NOT? ((LIKE | ILIKE) (term | (ANY | SOME | ALL) quantified) | SIMILAR TO term | BETWEEN (SYMMETRIC | ASYMMETRIC)? term | IN inList)
    ;

operator
    : PLUS | MINUS | STAR | SLASH | PERCENT | CARET | CONCAT
    | EQ | NE | LT | LE | GT | GE
    | AND | OR | ESCAPE | OTHER_OPERATOR
    ;

quantified
    : LPAREN (plainQuery | expr setArm* queryTail) RPAREN
    ;

inList
    : LPAREN (plainQuery | inItem (COMMA inItem)* setArm* queryTail) RPAREN
    ;

inItem
    : PLAIN_LIST
    | expr
    ;

primary
    : constant
    | word (PRECISION? STRING | arguments STRING? | reference)
    | (LEFT | RIGHT) arguments
    | NILADIC
    | CHARACTER (VARYING? typeArgs? STRING | reference)
    | (BETWEEN | PRECISION | VALUES) reference
    | (TIME | TIMESTAMP) (typeArgs? timeZone? STRING | reference)
    | INTERVAL (typeArgs? STRING intervalFields? | NUMBER word | reference)
    | POSITION (LPAREN expr POSITION_IN expr RPAREN | reference)
    | SUBSTRING (LPAREN expr substringRest RPAREN | reference)
    | OVERLAY (LPAREN expr overlayRest RPAREN | reference)
    | TRIM (LPAREN trimArguments RPAREN | reference)
    | ROW (LPAREN (expr (COMMA expr)*)? RPAREN | reference)
    | ARRAY (arrayRow | LPAREN query RPAREN)
    | EXTRACT (LPAREN extractField FROM expr RPAREN | reference)
    | EXISTS (LPAREN query RPAREN | reference)
    | case
    | CAST LPAREN expr AS typeName RPAREN
    | LPAREN (plainQuery | expr (COMMA expr)* setArm* queryTail) RPAREN
    ;

// One in another is read so that it can be refused by its name.
arrayRow
    : LBRACKET (arrayItem (COMMA arrayItem)*)? RBRACKET
    ;

arrayItem
    : expr
    | arrayRow
    ;

substringRest
    : FROM expr (FOR expr)?
    | FOR expr (FROM expr)?
    | (COMMA expr)*
    ;

overlayRest
    : PLACING expr FROM expr (FOR expr)?
    | (COMMA expr)*
    ;

trimArguments
    : (LEADING | TRAILING | BOTH)? FROM? expr (FROM expr)? (COMMA expr)*
    ;

constant
    : NUMBER
    | STRING
    | PARAM
    | TRUE
    | FALSE
    | NULL
    ;

reference
    : (DOT (anyLabel | STAR))*
    ;

arguments
    : LPAREN (STAR | argumentList)? RPAREN within? filter? over?
    ;

argumentList
    : (ALL | DISTINCT)? expr (COMMA expr)* orderBy?
    ;

within
    : WITHIN GROUP LPAREN orderBy RPAREN
    ;

filter
    : FILTER LPAREN WHERE expr RPAREN
    ;

over
    : OVER (name | LPAREN windowSpec RPAREN)
    ;

windowSpec
    : name? partitionBy? orderBy? frame?
    ;

frame
    : (ROWS | RANGE | GROUPS) (frameBound | BETWEEN frameBound AND frameBound) exclude?
    ;

// UNBOUNDED is read as a column, and ast puts it right.
frameBound
    : CURRENT ROW
    | expr (PRECEDING | FOLLOWING)
    ;

exclude
    : EXCLUDE (CURRENT ROW | GROUP | TIES | NO OTHERS)
    ;

partitionBy
    : PARTITION BY expr (COMMA expr)*
    ;

case
    : CASE expr? whenArm+ elseArm? END
    ;

whenArm
    : WHEN expr THEN expr
    ;

elseArm
    : ELSE expr
    ;

extractField
    : word
    | STRING
    ;

typeName
    : ( word (PRECISION | VARYING)? typeArgs?
      | CHARACTER VARYING? typeArgs?
      | (TIME | TIMESTAMP) typeArgs? timeZone?
      | INTERVAL intervalFields? typeArgs?
      ) (LBRACKET NUMBER? RBRACKET)*
    ;

typeArgs
    : LPAREN typeArg (COMMA typeArg)* RPAREN
    ;

typeArg
    : MINUS? NUMBER
    ;

timeZone
    : (WITH | WITHOUT) TIME ZONE
    ;

intervalFields
    : intervalField (TO intervalField)?
    ;

intervalField
    : YEAR
    | MONTH
    | DAY
    | HOUR
    | MINUTE
    | SECOND
    ;

// ---- names ----

nameList
    : LPAREN name (COMMA name)* RPAREN
    ;

// A table or view, which may stand behind the name of a schema.
qualified
    : name (DOT anyLabel)*
    ;

// A column, table or alias.
name
    : word
    | BETWEEN | CHARACTER | EXISTS | EXTRACT | INTERVAL | OVERLAY | POSITION | PRECISION | ROW | SUBSTRING | TIME
    | TIMESTAMP | TRIM | VALUES
    ;

// A name that a function or type may have as well.
word
    : IDENT
    | QIDENT
    | plainWord
    | lateWord
    | LOCAL
    | SET
    ;

// An alias without AS.
bareLabel
    : IDENT
    | QIDENT
    | plainWord
    | LOCAL
    | EXISTS | EXTRACT | INTERVAL | OVERLAY | POSITION | ROW | SUBSTRING | TIME | TIMESTAMP | TRIM | VALUES
    ;

// An alias after AS, a column after a dot: any word at all.
anyLabel
    : name
    | RESERVED_WORD | TYPE_FUNC_WORD | NILADIC
    | ALL | ANALYZE | AND | ANY | ARRAY | AS | ASC | ASYMMETRIC | BOTH | CASE | CAST | CHECK | COLLATE
    | COLUMN | CONSTRAINT | CREATE | DEFAULT | DESC | DISTINCT | DO | ELSE | END | EXCEPT | FALSE | FETCH
    | FOR | FOREIGN | FROM | GROUP | HAVING | IN | INTERSECT | INTO | LATERAL | LEADING | LIMIT | NOT | NULL
    | OFFSET | ON | ONLY | OR | ORDER | PLACING | PRIMARY | REFERENCES | RETURNING | SELECT | SOME | SYMMETRIC
    | TABLE | THEN | TO | TRAILING | TRUE | UNION | UNIQUE | USING | WHEN | WHERE | WINDOW | WITH | ON_CONFLICT
    | POSITION_IN
    | CROSS | FULL | ILIKE | INNER | IS | ISNULL | JOIN | LEFT | LIKE | NATURAL | NOTNULL | OUTER | RIGHT
    | SIMILAR
    ;

plainWord
    : ABORT | ACTION | ADD | ALTER | AUTO | BEGIN | BUILD | BY | CANCEL | CASCADE | COMMENT | COMMIT | COMPLETE | CONFLICT
    | CONTINUE | COPY | CURRENT | DATA | DEFERRED | DELETE | DESCRIBE | DISTRIBUTED | DROP | DUPLICATE | EXCLUDE | EXCLUDING
    | EXPLAIN | FIRST | FOLLOWING | FORMAT | GENERATED | GROUPS | IDENTITY | IF | IMMEDIATE | INCLUDING | INCREMENTAL
    | INDEX | INSERT | KEY | LAST | MATERIALIZED | NEXT | NO | NOTHING | NULLS | OF | ORDINALITY | OTHERS | PARTITION | PAUSE | PRECEDING
    | PROPERTIES | RANGE | RECURSIVE | REFRESH | RELEASE | RENAME | REPLACE | RESTART | RESTRICT | RESUME | ROLLBACK
    | SAVEPOINT | SHOW | STAGE | START | STREAM | TIES | TRANSACTION | TRUNCATE | UNBOUNDED | UNKNOWN | UPDATE | VERIFY | VERSION | VIEW | WORK
    | ZONE
    ;

// Words that may follow an expression or a type, and so are no alias without AS.
lateWord
    : AT | DAY | ESCAPE | FILTER | HOUR | MINUTE | MONTH | OVER | ROWS | SECOND | VARYING | WITHIN | WITHOUT | YEAR
    ;
