package storage

import (
	"context"
	"sort"
	"time"
)

// Retention says how much of its history a table or view keeps. The zero Retention
// keeps all of it. A private relation keeps what its view needs, whatever it says.
//
// What is outside counts as gone for who asks Expired, at once; it goes when enough
// rows are dead for that to be worth it.
type Retention struct {
	Off     bool          `json:",omitempty"` // none: what nobody reads goes
	TTL     time.Duration `json:",omitempty"` // no commits older than this, by TSO; 0: of any age
	Bytes   int64         `json:",omitempty"` // no more of the log, by the average record; 0: any size
	Records int64         `json:",omitempty"` // no more records, whole commits; 0: any number
	// Unpinned lets the history go even if a view has not read it yet: it cannot be
	// brought forward any more, only built anew. Open readers are waited for always.
	Unpinned bool `json:",omitempty"`
}

// all reports whether nothing is ever reclaimed of o unasked.
func (o *Object) keepsAll() bool {
	k := &o.Retention
	return o.Kind != Private && !k.Off && k.TTL <= 0 && k.Bytes <= 0 && k.Records <= 0
}

// Expired is the TSO up to which the retention of r gives its history up, at
// present, whoever may still need it; never below the horizon. The present is the
// TSO that a commit would get: it goes on where nobody commits, and never back.
func (r *Relation) Expired() TSO {
	v, o := r.view.Load(), r.obj.Load()
	return max(r.Horizon(), r.expired(v, o))
}

// Expired is [Relation.Expired] without loading the relation: of one that is not
// loaded, bounds by size and number count as kept.
func (s *Store) Expired(id ID) (TSO, error) {
	r, err := s.relation(id)
	if err != nil {
		return 0, err
	}
	return r.Expired(), nil
}

func (r *Relation) expired(v *view, o *Object) (to TSO) {
	k := &o.Retention
	if k.Off || o.Kind == Private {
		return r.s.Applied()
	}
	if k.TTL > 0 {
		now := max(r.s.Applied(), TSOAt(r.s.opts.Clock()))
		to = max(TSOAt(now.Time().Add(-k.TTL)), 1) - 1
	}
	if k.Records > 0 {
		to = max(to, v.beyond(uint64(k.Records)))
	}
	if k.Bytes > 0 {
		if all, n := r.logBytes.Load(), v.recs-v.recsBelow(); all > k.Bytes && n > 0 {
			to = max(to, v.beyond(uint64(float64(n)*float64(k.Bytes)/float64(all))))
		}
	}
	return to
}

// recsBelow is the number of records up to the horizon.
func (v *view) recsBelow() uint64 {
	if v.cut < v.commits.len() {
		return v.commits.at(v.cut).rec
	}
	return v.recs
}

// beyond is the last commit with more than n records from it on; at most n come
// after it. The horizon if there is none.
func (v *view) beyond(n uint64) TSO {
	k := sort.Search(v.commits.len()-v.cut, func(i int) bool { return v.recs-v.commits.at(v.cut+i).rec <= n })
	if k == 0 {
		return v.horizon
	}
	return v.commits.at(v.cut + k - 1).tso
}

// minDead is the number of dead versions from which reclaiming may be worth it.
const minDead = 2 * pageRows

// compactBytes is what is freed before the background compacts: it costs a flush.
const compactBytes = 8 << 20

// worth is the number of dead versions from which reclaiming is worth it: it costs
// as much as the rows that live.
func (v *view) worth() uint64 { return max(minDead, (v.n-uint64(v.deaths.len()))/2) }

// noteDead wakes the merger when r may have enough dead versions. Under Store.mu.
func (s *Store) noteDead(r *Relation) {
	if r.queued || r.obj.Load().keepsAll() {
		return
	}
	if v := r.view.Load(); uint64(v.deaths.len()) >= r.look+v.worth() {
		r.queued = s.merger.wake(r)
	}
}

// reclaimDue gives up what the retention of r lets go, if it is worth it. Else it
// looks again when as many versions more have died.
func (s *Store) reclaimDue(ctx context.Context, r *Relation) (err error) {
	defer s.edge(&err)
	v, o := r.view.Load(), r.obj.Load()
	if o.keepsAll() {
		return nil
	}
	views := !o.Retention.Unpinned
	to := min(r.expired(v, o), r.floor(views))
	if to > v.horizon && v.deathsUpTo(to)-v.deathsUpTo(v.horizon) >= v.worth() {
		err = s.reclaim(ctx, r, to, views, compactBytes)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := r.view.Load()
	if r.look = now.deathsUpTo(now.horizon); now.horizon == v.horizon {
		r.look = uint64(now.deaths.len())
	}
	return err
}

// ReclaimDue gives up what the retentions of all relations in memory let go, where
// it is worth it. Commits wake the same in the background, and so does the time that
// passes, every now and then.
func (s *Store) ReclaimDue(ctx context.Context) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.exit()
	return s.reclaimAll(ctx)
}

func (s *Store) reclaimAll(ctx context.Context) error {
	for _, o := range s.Catalog().Objects() {
		s.relMu.Lock()
		r := s.rels[o.ID]
		s.relMu.Unlock()
		if r == nil || !r.loaded.Load() {
			continue
		}
		if err := s.reclaimDue(ctx, r); err != nil {
			return err
		}
	}
	return nil
}
