// Package gen is the parser that ANTLR makes of grammar/IVM.g4. It is
// committed, so that building needs no Java; grammar/gen.sh makes it again,
// byte for byte. Only package ast reads it.
//
// Main type: [IVM], the parser. Its tables are built once, on first use, and
// are shared by all parsers and safe for concurrent use.
package gen
