package zset

// HashRows fills k with the hashes of the first n rows of cols and keeps the rows
// themselves: k.Rows is set, and the keys are empty. Rows that are identical have
// equal hashes; SameRow tells whether they are. A third of the cost of EncodeRows.
// The hashes are not those of EncodeRows. k refers to cols until it is filled anew.
func (k *Keys) HashRows(cols []Column, n int) {
	k.Off = grown(k.Off, n+1)
	clear(k.Off)
	k.Buf = k.Buf[:0]
	k.markNulls(cols, n)
	k.Hash = hashRows(k.Hash, cols, n)
	k.Rows = cols
}

// SameRow reports whether row i of a and row j of b, which have the same types,
// are identical: whether their row encodings are equal.
func SameRow(a []Column, i int, b []Column, j int) bool { return sameRow(a, i, b, j) }

// hashRows hashes rows by their physical forms, into the memory of h.
func hashRows(h []uint64, cols []Column, n int) []uint64 {
	h = grown(h, n)
	for i := range h {
		h[i] = hashA
	}
	for i := range cols {
		hashColumn(h, &cols[i])
	}
	return h
}
