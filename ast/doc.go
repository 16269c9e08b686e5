// Package ast is the syntax tree of ivmc's SQL, with positions, and the only
// reader of the generated parser.
//
// Main types: [Statement], [Query], [Expr], [Error]. [Parse] makes one
// statement of a text; [Split] cuts a script into statements.
//
// Bad input gives every error at once, each with its position, and never
// panics: length and nesting are capped before the parser recurses.
package ast
