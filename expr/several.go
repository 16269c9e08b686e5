package expr

// parts is a state that consists of several, each of which is an accumulator of
// its own: what holds of all of them holds of the whole. An aggregate embeds it
// and adds what it knows of them, Add and Result.
type parts []Accumulator

func (ps parts) all() parts { return ps }

// Resize makes room for n groups.
func (ps parts) Resize(n int) {
	for _, p := range ps {
		p.Resize(n)
	}
}

// Merge adds group from of src, which has the same parts.
func (ps parts) Merge(g uint32, src Accumulator, from uint32) {
	for i, o := range src.(interface{ all() parts }).all() {
		ps[i].Merge(g, o, from)
	}
}

// Append appends the parts of group g one after the other: each is self-delimiting.
func (ps parts) Append(dst []byte, g uint32) []byte {
	for _, p := range ps {
		dst = p.Append(dst, g)
	}
	return dst
}

// Load reads what Append wrote. After an error g is empty.
func (ps parts) Load(g uint32, b []byte) ([]byte, error) {
	var err error
	for _, p := range ps {
		if b, err = p.Load(g, b); err != nil {
			ps.Clear(g)
			return nil, err
		}
	}
	return b, nil
}

// Clear empties group g.
func (ps parts) Clear(g uint32) {
	for _, p := range ps {
		p.Clear(g)
	}
}

// MemBytes is the memory of all.
func (ps parts) MemBytes() (n int64) {
	for _, p := range ps {
		n += p.MemBytes()
	}
	return n
}
