package ast

import (
	"github.com/antlr4-go/antlr/v4"

	"github.com/ivmc/ivmc/grammar/gen"
)

// Piece is one statement of a script, not yet parsed: from its first word to
// its last, without the semicolon.
type Piece struct {
	Text   string
	Offset Pos // of Text in the script, in characters
	Line   int // from 1
	Col    int // from 1, in characters
}

// Split cuts a script at the semicolons outside quotes and comments. Pieces
// without a word are left out. A quote or comment without an end makes the rest
// of the script one piece, of which [Parse] then complains.
func Split(src string) []Piece {
	var out []Piece
	s := scanner{src: src}
	lines := lineCounter{src: src, line: 1, col: 1}
	var first, last lexeme
	open := false
	for {
		l := s.next()
		s.errs = nil
		if l.kind != antlr.TokenEOF && l.kind != gen.IVMSEMI {
			if !open {
				first, open = l, true
			}
			last = l
			continue
		}
		if open {
			p := Piece{Text: src[first.start:last.end], Offset: first.pos}
			p.Line, p.Col = lines.to(first.pos)
			out = append(out, p)
			open = false
		}
		if l.kind == antlr.TokenEOF {
			return out
		}
	}
}

// In moves errors about a piece to their places in the script.
func (es Errors) In(p Piece) Errors {
	out := make(Errors, len(es))
	for i, e := range es {
		moved := *e
		moved.Pos += p.Offset
		if moved.Line == 1 {
			moved.Col += p.Col - 1
		}
		moved.Line += p.Line - 1
		out[i] = &moved
	}
	return out
}
