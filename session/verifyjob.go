package session

import (
	"context"
	"time"

	"github.com/ivmc/ivmc/refresh"
	"github.com/ivmc/ivmc/storage"
)

// verifyRule is how often a view is verified by itself, and in how many parts of its
// rows, one each time. The zero rule is never.
type verifyRule struct {
	Every time.Duration `json:"every,omitempty"`
	Parts int           `json:"parts,omitempty"`
}

// parts of a view for which the rule names none.
const verifyParts = 16

func (r verifyRule) parts() int {
	if r.Parts > 0 {
		return r.Parts
	}
	return verifyParts
}

// verifyJob is the verifications of one view. It belongs to the loop of the
// scheduler, and to those who look at it under the scheduler's lock.
type verifyJob struct {
	rule       verifyRule
	next, last time.Time
}

// verified is a verification that has ended.
type verified struct {
	id  storage.ID
	rep *refresh.VerifyReport
	err error
}

// readVerify brings the verifications up to date with the jobs.
func (s *scheduler) readVerify(now time.Time) {
	old := s.verify
	s.verify = map[storage.ID]*verifyJob{}
	for id, v := range s.jobs {
		if v.verify.Every <= 0 || v.job.Paused {
			continue
		}
		j := old[id]
		if j == nil || j.rule != v.verify {
			j = &verifyJob{rule: v.verify, next: now.Add(v.verify.Every)}
		}
		s.verify[id] = j
	}
}

// startVerify starts the verification that is due, one at a time, and says when the
// next is, while none runs; zero: never. What was missed is done once; a clock that was
// set back delays none by more than its interval.
func (s *scheduler) startVerify(ctx context.Context, now time.Time) (wake time.Time) {
	var due storage.ID
	for id, j := range s.verify {
		if late := now.Add(j.rule.Every); j.next.After(late) {
			j.next = late
		}
		if wake.IsZero() || j.next.Before(wake) || j.next.Equal(wake) && id < due {
			wake, due = j.next, id
		}
	}
	if s.verifying || wake.IsZero() {
		return time.Time{}
	}
	if wake.After(now) {
		return wake
	}
	j := s.verify[due]
	j.next = now.Add(j.rule.Every)
	if _, built := s.e.views.Frontier(due); !built {
		return s.startVerify(ctx, now)
	}
	s.verifying = true
	parts := j.rule.parts()
	go func() {
		v := verified{id: due}
		v.err = s.e.work(ctx, func(ctx context.Context) (err error) {
			v.rep, err = s.e.views.VerifySample(ctx, due, parts)
			return err
		})
		s.checked <- v
	}()
	return time.Time{}
}

// endVerify notes the end of a verification.
func (s *scheduler) endVerify(v verified) {
	now := s.e.opts.Clock()
	s.mu.Lock()
	s.verifying = false
	if j := s.verify[v.id]; j != nil {
		j.last, j.next = now, now.Add(j.rule.Every)
	}
	s.mu.Unlock()
	if v.err == nil && v.rep == nil || s.opts.Verified == nil {
		return
	}
	if v.rep == nil {
		v.rep = &refresh.VerifyReport{}
		if obj, ok := s.e.store.Catalog().ByID(v.id); ok {
			v.rep.View = obj.Name
		}
	}
	if v.err != nil {
		v.err = worded(v.err)
	}
	s.opts.Verified(v.rep, v.err)
}

// verifyState is when a view was verified and will be; zero: it was not, or nobody will.
func (e *Engine) verifyState(id storage.ID) (last, next time.Time) {
	s := e.scheduler.Load()
	if s == nil {
		return last, next
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if j := s.verify[id]; j != nil {
		return j.last, j.next
	}
	return last, next
}
