// Package querygen makes random tables, rows and queries for tests, as SQL
// text, from a seed. One seed gives the same text for ever, so a failing case is
// its seed.
//
// What it makes is small and nasty on purpose: values from a handful, so that
// keys meet and rows repeat; many NULLs; -0.0 beside 0.0, NaN, 1.0 beside 1.00;
// self-joins, joins of numbers of different types, joins without a key.
//
// Main types: [Gen] (the source), [Table] (what it makes rows and queries for),
// [Options] (what may occur).
//
//	g := querygen.New(seed, querygen.Options{})
//	ts := g.Tables(2)
//	fmt.Println(ts[0].DDL())
//	fmt.Println("INSERT INTO", ts[0].Name, "VALUES", g.Row(ts[0]))
//	fmt.Println(g.Query(ts))
package querygen
