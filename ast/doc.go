// Package ast is the syntax tree of ivmc's SQL, with positions, and the only
// reader of the generated parser.
//
// Main types: [Statement], [Query], [Expr], [Errors]. [Parse] makes one
// statement of a text; [Split] cuts a script into statements; [Print] writes a
// tree as SQL again.
//
//	for _, piece := range ast.Split(script) {
//		stmt, err := ast.Parse(piece.Text)
//		if err != nil {
//			fmt.Print(err.(ast.Errors).In(piece).Render(script, "setup.sql"))
//			continue
//		}
//		run(stmt)
//	}
//
// From text to tree:
//
//	text ─scanner─▶ lexemes ─tokenise─▶ tokens ─grammar/gen─▶ flat rules ─builder─▶ tree
//
// What it keeps:
//
//   - Bad input gives every error at once, each with its position, and never
//     panics: [Limits] are checked before anything recurses. Errors behind an
//     error are believed after three tokens that fit.
//   - The strengths of operators are PostgreSQL's, from one table
//     (precedence.go); the grammar is flat, so SLL prediction decides all of it
//     (a test counts) and chains are loops.
//   - Runs of constants in VALUES and IN lists never reach the parser
//     (plain.go): an INSERT costs as much as its bytes.
//   - Parsing what Print writes gives the same tree, but for positions.
//
// To widen the language: a rule in grammar/IVM.g4 (a new word also in tokens and
// in keywords.go), a node in the node_ file of its kind, a case in the builder, in
// [Children] and in the printer, and goldens; TestPrintIsFixpoint finds what was forgotten.
package ast
