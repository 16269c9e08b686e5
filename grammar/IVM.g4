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
    // An operator that no rule uses, and a place where the scanner gave up.
    OTHER_OPERATOR, BROKEN,
    // Punctuation.
    LPAREN, RPAREN, COMMA, SEMI, DOT, TYPECAST,
    PLUS, MINUS, STAR, SLASH, PERCENT, CONCAT, EQ, NE, LT, LE, GT, GE,
    // Reserved words.
    ALL, ANALYZE, AND, AS, ASC, CASE, CAST, COLUMN, CREATE, DEFAULT, DESC, DISTINCT, ELSE, END,
    EXCEPT, FALSE, FROM, GROUP, HAVING, IN, INTERSECT, INTO, LIMIT, NOT, NULL, OFFSET, ON, OR,
    ORDER, PRIMARY, SELECT, TABLE, THEN, TO, TRUE, UNION, UNIQUE, USING, WHEN, WHERE, WITH,
    // Words that may name a function or type only.
    CROSS, FULL, ILIKE, INNER, IS, ISNULL, JOIN, LEFT, LIKE, NATURAL, NOTNULL, OUTER, RIGHT,
    // Words that may name anything but a function or type.
    BETWEEN, CHARACTER, EXISTS, EXTRACT, INTERVAL, PRECISION, TIME, TIMESTAMP, VALUES,
    // Words that may name anything.
    ABORT, ADD, ALTER, AUTO, BEGIN, BUILD, BY, COMMIT, COMPLETE, DAY, DEFERRED, DELETE, DROP,
    DUPLICATE, ESCAPE, EXPLAIN, FILTER, FIRST, FORMAT, HOUR, IF, IMMEDIATE, INCREMENTAL, INSERT,
    KEY, LAST, LOCAL, MATERIALIZED, MINUTE, MONTH, NULLS, OVER, PARTITION, PROPERTIES, REFRESH,
    ROLLBACK, SECOND, SET, SHOW, STAGE, START, TRANSACTION, TRUNCATE, UNKNOWN, UPDATE, VARYING,
    VIEW, WITHOUT, WORK, YEAR, ZONE
}

// ---- statements ----

script
    : statement SEMI* EOF
    ;

statement
    : query
    | createTable
    | createMaterializedView
    | drop
    | alter
    | truncate
    | insert
    | update
    | delete
    | refresh
    | explain
    | set
    | show
    | begin
    | commit
    | rollback
    ;

createTable
    : CREATE TABLE ifNotExists? name LPAREN tableElement (COMMA tableElement)* RPAREN tableKey* properties?
    ;

ifNotExists
    : IF NOT EXISTS
    ;

tableElement
    : columnDef
    | PRIMARY KEY nameList
    ;

columnDef
    : name typeName columnConstraint*
    ;

columnConstraint
    : NOT NULL
    | NULL
    | PRIMARY KEY
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

createMaterializedView
    : CREATE MATERIALIZED VIEW ifNotExists? name nameList? build? refreshClause? AS query
    ;

build
    : BUILD (IMMEDIATE | DEFERRED)
    ;

refreshClause
    : REFRESH refreshMode
    ;

refreshMode
    : COMPLETE
    | AUTO
    | INCREMENTAL
    ;

drop
    : DROP (TABLE | VIEW | MATERIALIZED VIEW) ifExists? name (COMMA name)*
    ;

ifExists
    : IF EXISTS
    ;

alter
    : ALTER TABLE name ADD COLUMN? columnDef
    ;

truncate
    : TRUNCATE TABLE? name
    ;

insert
    : INSERT INTO name nameList? query
    ;

update
    : UPDATE name updateAlias? SET assignment (COMMA assignment)* (WHERE expr)?
    ;

// SET ends the name of the table, so an alias called set needs AS.
updateAlias
    : AS name
    | bareLabel
    ;

assignment
    : name EQ expr
    ;

delete
    : DELETE FROM name (AS? name)? (WHERE expr)?
    ;

refresh
    : REFRESH MATERIALIZED VIEW name refreshMode?
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

show
    : SHOW (TIME ZONE | ALL | settingName)
    ;

begin
    : BEGIN (TRANSACTION | WORK)?
    | START TRANSACTION
    ;

commit
    : (COMMIT | END) (TRANSACTION | WORK)?
    ;

rollback
    : (ROLLBACK | ABORT) (TRANSACTION | WORK)?
    ;

// ---- queries ----

query
    : with? queryTerm setArm* queryTail
    ;

// A query that does not start with a parenthesis: see the head of the file.
plainQuery
    : (with queryTerm | plainTerm) setArm* queryTail
    ;

with
    : WITH cte (COMMA cte)*
    ;

cte
    : name nameList? AS LPAREN query RPAREN
    ;

queryTerm
    : plainTerm
    | LPAREN query RPAREN
    ;

plainTerm
    : select
    | values
    ;

setArm
    : (UNION | INTERSECT | EXCEPT) (ALL | DISTINCT)? queryTerm
    ;

queryTail
    : orderBy? limitClause*
    ;

orderBy
    : ORDER BY orderItem (COMMA orderItem)*
    ;

orderItem
    : expr (ASC | DESC)? (NULLS (FIRST | LAST))?
    ;

limitClause
    : LIMIT (expr | ALL)
    | OFFSET expr
    ;

select
    : SELECT (ALL | DISTINCT)? selectItem (COMMA selectItem)* from? where? groupBy? having?
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
    : GROUP BY expr (COMMA expr)*
    ;

having
    : HAVING expr
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
    : name tableAlias?
    | LPAREN (plainQuery | fromItem setArm* queryTail) RPAREN tableAlias?
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
    ;

exprPart
    : operator term
    | TYPECAST typeName
    | IS NOT? (NULL | TRUE | FALSE | UNKNOWN | DISTINCT FROM term)
    | ISNULL
    | NOTNULL
    | NOT? (LIKE term | ILIKE term | BETWEEN term | IN inList)
    ;

operator
    : PLUS | MINUS | STAR | SLASH | PERCENT | CONCAT
    | EQ | NE | LT | LE | GT | GE
    | AND | OR | ESCAPE
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
    | word (PRECISION? STRING | arguments | reference)
    | (LEFT | RIGHT) arguments
    | NILADIC
    | (BETWEEN | CHARACTER | PRECISION | VALUES) reference
    | (TIME | TIMESTAMP) (typeArgs? timeZone? STRING | reference)
    | INTERVAL (STRING intervalField? | reference)
    | EXTRACT (LPAREN extractField FROM expr RPAREN | reference)
    | EXISTS (LPAREN query RPAREN | reference)
    | case
    | CAST LPAREN expr AS typeName RPAREN
    | LPAREN (plainQuery | expr setArm* queryTail) RPAREN
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
    : LPAREN (STAR | argumentList)? RPAREN filter? over?
    ;

argumentList
    : (ALL | DISTINCT)? expr (COMMA expr)* orderBy?
    ;

filter
    : FILTER LPAREN WHERE expr RPAREN
    ;

over
    : OVER LPAREN partitionBy? orderBy? RPAREN
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
    : word PRECISION? typeArgs?
    | CHARACTER VARYING? typeArgs?
    | (TIME | TIMESTAMP) typeArgs? timeZone?
    | INTERVAL intervalField? typeArgs?
    ;

typeArgs
    : LPAREN NUMBER (COMMA NUMBER)* RPAREN
    ;

timeZone
    : (WITH | WITHOUT) TIME ZONE
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

// A column, table or alias.
name
    : word
    | BETWEEN | CHARACTER | EXISTS | EXTRACT | INTERVAL | PRECISION | TIME | TIMESTAMP | VALUES
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
    | EXISTS | EXTRACT | INTERVAL | TIME | TIMESTAMP | VALUES
    ;

// An alias after AS, a column after a dot: any word at all.
anyLabel
    : name
    | RESERVED_WORD | TYPE_FUNC_WORD | NILADIC
    | ALL | ANALYZE | AND | AS | ASC | CASE | CAST | COLUMN | CREATE | DEFAULT | DESC | DISTINCT | ELSE | END
    | EXCEPT | FALSE | FROM | GROUP | HAVING | IN | INTERSECT | INTO | LIMIT | NOT | NULL | OFFSET | ON | OR
    | ORDER | PRIMARY | SELECT | TABLE | THEN | TO | TRUE | UNION | UNIQUE | USING | WHEN | WHERE | WITH
    | CROSS | FULL | ILIKE | INNER | IS | ISNULL | JOIN | LEFT | LIKE | NATURAL | NOTNULL | OUTER | RIGHT
    ;

plainWord
    : ABORT | ADD | ALTER | AUTO | BEGIN | BUILD | BY | COMMIT | COMPLETE | DEFERRED | DELETE | DROP
    | DUPLICATE | EXPLAIN | FIRST | FORMAT | IF | IMMEDIATE | INCREMENTAL | INSERT
    | KEY | LAST | MATERIALIZED | NULLS | PARTITION | PROPERTIES | REFRESH
    | ROLLBACK | SHOW | STAGE | START | TRANSACTION | TRUNCATE | UNKNOWN | UPDATE
    | VIEW | WORK | ZONE
    ;

// Words that may follow an expression or a type, and so are no alias without AS.
lateWord
    : DAY | ESCAPE | FILTER | HOUR | MINUTE | MONTH | OVER | SECOND | VARYING | WITHOUT | YEAR
    ;
