// Package docs holds the tests of the documentation: what README.md and
// docs/*.md show is what happens.
//
// Every ```sql block of a file is run, in order, in one database of the file. It
// must work, unless the ```text block behind it shows an ERROR. A ```text block
// behind a ```sql or ```sh block is the end of what was printed.
//
// Of a ```sh block the lines that begin with ivmc or bin/ivmc are run, in a
// directory of the file; a comment "# status N" is the status to expect. Lines
// that begin with make must name targets of the Makefile. A ```go block of
// docs/library.md and docs/tutorial-embed.md must stand in an example, which go
// test runs.
//
// Sections between <!-- generated: NAME --> and <!-- end --> are written by
// go test ./internal/testkit/docs -rewrite, and compared without it.
package docs
