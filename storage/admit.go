package storage

// nextCatalog is the catalog after c; nil if c does not change it.
func (s *Store) nextCatalog(c *Commit, tso TSO) (*Catalog, error) {
	if len(c.Catalog) == 0 {
		return nil, nil
	}
	old := s.Catalog()
	if c.CatalogVersion != 0 && c.CatalogVersion != old.version {
		return nil, errConflict()
	}
	return old.with(c.Catalog, tso)
}

// owned makes sure that the views whose states and offsets c sets were not
// dropped meanwhile: what is written for an id that is gone would stay for ever.
func (s *Store) owned(c *Commit, cat *Catalog) error {
	if cat == nil {
		cat = s.Catalog()
	}
	gone := func(view ID) bool { _, ok := cat.ByID(view); return !ok }
	for i := range c.States {
		if gone(c.States[i].ID.View) {
			return errConflict()
		}
	}
	for i := range c.Offsets {
		if !c.Offsets[i].Delete && gone(c.Offsets[i].View) {
			return errConflict()
		}
	}
	for i := range c.Notes {
		if gone(c.Notes[i].Object) {
			return errConflict()
		}
	}
	return nil
}

// current makes sure that the relation was not dropped meanwhile, and is not
// dropped by this very commit.
func (s *Store) current(rc *relCommit, cat *Catalog) error {
	if cat == nil {
		cat = s.Catalog()
	}
	if _, ok := cat.ByID(rc.r.id); !ok {
		return errConflict()
	}
	if rc.r.obj.Load().SchemaVersion != rc.obj.SchemaVersion {
		return errConflict()
	}
	if uint64(rc.rows)+rc.r.view.Load().n > maxRows {
		return errorf(ErrChange, codeLimit, "relation %q would have more than %d row versions", rc.r.obj.Load().Name, uint64(maxRows))
	}
	return nil
}
