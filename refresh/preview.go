package refresh

import (
	"context"

	"github.com/ivmc/ivmc/storage"
	"github.com/ivmc/ivmc/zset"
)

// Preview computes an incremental refresh and commits nothing: the rows that
// would change, consolidated, with weights; nil for none. Of a view that was never
// built these are all its rows. It is refused where the refresh would be.
func (e *Engine) Preview(ctx context.Context, id storage.ID) (*zset.Batch, error) {
	obj, en, err := e.hold(ctx, id)
	if err != nil {
		return nil, err
	}
	defer en.done()
	if err := e.filled(en); err != nil {
		return nil, err
	}
	if code, detail := en.obstacle(); code != "" {
		return nil, en.refusal(obj.Name, code, detail)
	}
	if _, built := en.view.Built(); !built {
		s, err := en.view.Build(ctx, nil, false)
		if err != nil {
			return nil, err
		}
		defer en.view.Forget()
		return s.Rows(), nil
	}
	s, err := en.view.Step(ctx, nil)
	if err != nil {
		return nil, err
	}
	return s.Rows(), nil
}
