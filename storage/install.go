package storage

// install makes the commit visible in memory to whoever reads at tso.
func (s *Store) install(p *prepared, tso TSO, cat *Catalog) {
	for _, rc := range p.rels {
		if !p.revealed {
			rc.install(tso)
		}
		s.noteBlocks(rc, tso)
	}
	s.noteStates(p)
	drop := s.installCatalog(p, cat)
	if len(p.c.Offsets) > 0 || len(drop) > 0 {
		m := withOffsets(*s.offsets.Load(), p.c.Offsets, drop)
		s.offsets.Store(&m)
	}
}

func (s *Store) noteStates(p *prepared) {
	s.stateMu.Lock()
	defer s.stateMu.Unlock()
	for i := range p.c.States {
		st, size := &p.c.States[i], int64(0)
		for _, b := range p.states[i] {
			size += int64(len(b))
		}
		z := s.states[st.ID]
		if st.Replace {
			z = stateSize{base: size}
		} else {
			z.log += size
		}
		s.states[st.ID] = z
	}
}

// installCatalog publishes cat and returns the dropped ids.
func (s *Store) installCatalog(p *prepared, cat *Catalog) (drop []ID) {
	if cat == nil {
		return nil
	}
	s.relMu.Lock()
	defer s.relMu.Unlock()
	for _, r := range p.made {
		s.rels[r.id] = r
	}
	for _, ch := range p.c.Catalog {
		if ch.Put == nil {
			drop = append(drop, ch.Drop)
			delete(s.rels, ch.Drop)
			continue
		}
		o, _ := cat.ByID(ch.Put.ID)
		if r := s.rels[o.ID]; r != nil {
			if len(o.Schema) > len(r.Schema()) {
				r.refill(o)
			}
			if before := r.obj.Swap(o); before.Retention != o.Retention {
				r.look = 0
				s.noteDead(r)
			}
		}
	}
	s.catalog.Store(cat)
	s.stateMu.Lock()
	defer s.stateMu.Unlock()
	for _, id := range drop {
		for st := range s.states {
			if st.View == id {
				delete(s.states, st)
			}
		}
	}
	return drop
}
