package storage

import (
	"context"
	"log/slog"

	"github.com/cockroachdb/pebble/v2"

	"github.com/ivmc/ivmc/trace"
	"github.com/ivmc/ivmc/zset"
)

// Change is what a commit does to one relation: records in the order of their
// LSNs. Inserts and updates take the rows of Rows in order, updates and deletes
// the addresses of Dead in order; an address may be [Own]. Rows has the columns
// of the relation and no weights. Nothing of a Change is kept or written to.
type Change struct {
	Rel  ID
	Ops  []Op
	Rows *zset.Batch // nil: none
	Dead []Addr

	// SameKey says that each update has the primary key of the row it replaces,
	// which spares looking the key up again.
	SameKey bool

	// SchemaVersion is that of the object which the change was made for. The
	// commit loses (ErrConflict) against one that changed the columns since.
	SchemaVersion uint32
}

// Commit is all that becomes readable, and durable, at one TSO.
type Commit struct {
	Begin          TSO    // the snapshot it read; tells a duplicate key from a lost race. 0: none
	CatalogVersion uint64 // the catalog it was planned with, checked if it changes the catalog. 0: any
	Changes        []*Change
	States         []StateChange
	Offsets        []OffsetChange
	Notes          []Note
	Catalog        []CatalogChange
	Follow         *Following // nil: nothing moves with it
	Planned        uint64     // 1 + the version of the catalog that said what follows; 0: any. Else ErrReplan
	Empty          ID         // a relation that must have no rows; 0: none. Else ErrConflict
	Quiet          Quiet      // a relation that must be as it was. Else ErrConflict
}

// Quiet is a relation in which nothing has changed since a moment.
type Quiet struct {
	Rel   ID // 0: none
	Since TSO
}

// CommitOptions say how to commit.
type CommitOptions struct {
	Sync bool // return after the disk has it. A volatile store does not wait
	// OnInstall is called with the commit's TSO when its rows are in memory and
	// before anybody can read at that TSO, in the order of commits. It must be
	// short and call nothing of the store that commits.
	OnInstall func(TSO)
}

// prepared is a commit on its way: everything that needs no turn is done.
type prepared struct {
	c      *Commit
	rels   []*relCommit
	states [][][]byte // blocks, per state change
	size   int        // bytes of the batch, about
	keys   zset.Keys

	puts     map[ID]*Object   // of the catalog's changes, or of those of the commit that it follows
	made     map[ID]*Relation // of puts that are new and have rows
	revealed bool             // its versions are in memory already
}

// relCommit is all changes of a commit to one relation.
type relCommit struct {
	r       *Relation
	obj     *Object // of the time when the changes were prepared
	changes []*Change
	parts   []part
	rows    int
	records int
	bytes   int64 // of the blocks
	runs    []uint64

	// the turn
	v      *view
	killed []bool // own rows that died in this commit
	marked []Addr // versions marked dead so far
	linked []linked

	touched uint64 // see touch
}

// linked is the slots of a key that a commit has added to.
type linked struct {
	t     *arrangement
	slots []uint32
}

// part is an unsealed block of a relCommit.
type part struct {
	buf  *[]byte
	rows int // before it, in this commit
	dead int
}

// Commit makes c readable at a new TSO and returns it. All or nothing: with an
// error nothing of c is readable, but for ErrFailed after the store's last
// writes, of which recovery may keep a prefix. Errors: ErrConflict (a row of Dead
// died, or a key came to life, after Begin; the catalog changed), ErrConsumed, ErrUnique,
// ErrExists, ErrNoObject, ErrChange, ErrFailed, ErrClosed, and ctx's before the
// turn comes.
func (s *Store) Commit(ctx context.Context, c *Commit, o CommitOptions) (tso TSO, err error) {
	if err := s.enter(); err != nil {
		return 0, err
	}
	defer s.exit()
	if t := s.opts.Tracer; t != nil {
		var end trace.End
		ctx, end = t.Start(ctx, trace.Commit)
		defer func() { end(err, slog.Uint64("tso", uint64(tso))) }()
	}
	defer s.edge(&err)
	p := &prepared{c: c}
	defer p.release(s)
	if err := s.prepare(ctx, p); err != nil {
		s.dropRuns(p)
		return 0, err
	}
	wait := o.Sync && !s.opts.NoSync
	batch := s.db.NewBatchWithSize(p.size)
	tso, err = s.turn(ctx, p, batch, wait, o.OnInstall)
	if err != nil {
		s.dropRuns(p)
		_ = batch.Close() // never applied, or the store failed
		return 0, err
	}
	if wait {
		if err := batch.SyncWait(); err != nil {
			s.gate.freeze(err)
		}
		if err := s.Failed(); err != nil {
			s.lost.Store(true)
			return 0, err
		}
		s.onDisk(tso)
	}
	_ = batch.Close() // returns memory
	return tso, nil
}

// prepare finds and loads the relations, checks the shape of the changes, and
// encodes them. A large change goes to disk here, as a run.
func (s *Store) prepare(ctx context.Context, p *prepared) error {
	c := p.c
	p.size = 1 << 10
	if len(c.Catalog) > 0 {
		p.puts, p.made = map[ID]*Object{}, map[ID]*Relation{}
	}
	for i := range c.Catalog {
		if o := c.Catalog[i].Put; o != nil {
			p.puts[o.ID] = o
			if err := s.prepareObject(o); err != nil {
				return err
			}
		}
	}
	for _, ch := range c.Changes {
		if len(ch.Ops) == 0 {
			continue
		}
		rc, err := s.relCommit(p, ch)
		if err != nil {
			return err
		}
		if ch.SchemaVersion != rc.obj.SchemaVersion {
			return errConflict()
		}
		if err := checkChange(rc.obj, ch); err != nil {
			return err
		}
		if err := s.encode(ctx, p, rc, ch); err != nil {
			return err
		}
		rc.changes = append(rc.changes, ch)
	}
	if c.Follow != nil {
		for _, id := range c.Follow.Loads {
			r, err := s.relation(id)
			if err != nil { // dropped meanwhile
				return ErrReplan
			}
			if err := s.load(r); err != nil {
				return err
			}
		}
	}
	for i := range c.States {
		st := &c.States[i]
		if st.Keys.Len() != st.Vals.Len() {
			return errorf(ErrChange, codeInternal, "state of view %d has %d keys and %d values", st.ID.View, st.Keys.Len(), st.Vals.Len())
		}
		blocks := stateBlocks(st)
		for _, b := range blocks {
			p.size += len(b) + 64
		}
		p.states = append(p.states, blocks)
	}
	return ctx.Err()
}

// relCommit finds what p does to the relation of ch.
func (s *Store) relCommit(p *prepared, ch *Change) (*relCommit, error) {
	for _, rc := range p.rels {
		if rc.r.id == ch.Rel {
			return rc, nil
		}
	}
	r, err := s.relation(ch.Rel)
	if err != nil {
		if r = p.made[ch.Rel]; r == nil {
			o := p.puts[ch.Rel]
			if o == nil {
				return nil, err
			}
			r = newRelation(s, o)
			r.loaded.Store(true)
			p.made[ch.Rel] = r
		}
	}
	if err := s.load(r); err != nil {
		return nil, err
	}
	rc := &relCommit{r: r, obj: r.obj.Load()}
	p.rels = append(p.rels, rc)
	return rc, nil
}

func (p *prepared) release(s *Store) {
	for _, rc := range p.rels {
		for i := range rc.parts {
			s.bufs.Put(rc.parts[i].buf)
		}
		rc.parts = nil
	}
}

// turn is the sequencer: what happens between the lock and the unlock happens
// to one commit after the other.
func (s *Store) turn(ctx context.Context, p *prepared, batch *pebble.Batch, sync bool, onInstall func(TSO)) (TSO, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.Failed(); err != nil {
		return 0, err
	}
	if n := p.c.Planned; n != 0 && n != s.Catalog().version+1 {
		return 0, ErrReplan
	}
	tso := max(s.last+1, TSOAt(s.opts.Clock()))
	cat, err := s.nextCatalog(p.c, tso)
	if err != nil {
		return 0, err
	}
	if err := s.owned(p.c, cat); err != nil {
		return 0, err
	}
	if err := s.moved(p.c, tso); err != nil {
		return 0, err
	}
	if p.c.Empty != 0 {
		if r, err := s.relation(p.c.Empty); err != nil || r.Rows(s.last) > 0 {
			return 0, errConflict()
		}
	}
	if q := p.c.Quiet; q.Rel != 0 {
		if r, err := s.relation(q.Rel); err != nil || r.Last() > q.Since {
			return 0, errConflict()
		}
	}
	for i, rc := range p.rels {
		err := s.current(rc, cat)
		if err == nil {
			err = rc.validate(p, tso)
		}
		if err != nil {
			undo(p.rels[:i+1])
			return 0, err
		}
	}
	more, err := s.moveWith(ctx, p, tso, cat)
	if err != nil {
		undo(p.rels)
		return 0, err
	}
	err = s.promise(batch)
	if err == nil {
		err = s.write(p, batch, tso, cat)
	}
	for i := 0; err == nil && i < len(more); i++ {
		err = s.write(more[i], batch, tso, nil)
	}
	if err == nil {
		err = s.apply(batch, sync)
	}
	if err != nil {
		s.takeBack(p, more)
		return 0, err
	}
	s.install(p, tso, cat)
	for _, q := range more {
		s.install(q, tso, nil)
		q.release(s)
	}
	if onInstall != nil {
		onInstall(tso)
	}
	s.last = tso
	s.publish(tso)
	return tso, nil
}

// apply hands the batch to Pebble. With sync the caller waits for the disk later,
// outside the turn, together with others.
func (s *Store) apply(batch *pebble.Batch, sync bool) (err error) {
	if sync {
		err = s.db.ApplyNoSyncWait(batch, pebble.Sync)
	} else {
		err = s.db.Apply(batch, pebble.NoSync)
	}
	if err != nil {
		s.gate.freeze(err)
	}
	failed := s.Failed()
	if failed != nil && sync && err == nil {
		_ = batch.SyncWait() // the batch may not be closed before
	}
	return failed
}
