package refresh

import (
	"context"

	"github.com/ivmc/ivmc/runtime"
	"github.com/ivmc/ivmc/storage"
	"github.com/ivmc/ivmc/zset"
)

// Preview computes an incremental refresh and commits nothing: the rows that
// would change, consolidated, with weights; nil for none. Of a view that was never
// built these are all its rows. It is refused where the refresh would be. The report
// is that of the refresh as far as it went.
func (e *Engine) Preview(ctx context.Context, id storage.ID) (*zset.Batch, *Report, error) {
	obj, en, err := e.hold(ctx, id)
	if err != nil {
		return nil, nil, err
	}
	defer en.done()
	if err := e.filled(en); err != nil {
		return nil, nil, err
	}
	rep := &Report{ID: id, View: obj.Name, Configured: e.configured(obj), Requested: Incremental, Started: e.now()}
	if err := e.decide(en, Incremental, nil, rep); err != nil {
		return nil, nil, err
	}
	rep.Executed = rep.Planned
	run := en.view.Step
	if rep.Planned == Complete { // it was never built
		run = func(ctx context.Context, base *runtime.Base) (*runtime.Step, error) {
			return en.view.Build(ctx, base, false)
		}
		defer en.view.Forget()
	}
	s, err := run(ctx, nil)
	if err != nil {
		return nil, nil, err
	}
	rep.ran(s)
	rep.Duration = e.now().Sub(rep.Started)
	return s.Rows(), rep, nil
}
