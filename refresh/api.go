package refresh

// Signatures that others build on, checked by the compiler.
import (
	"context"

	"github.com/ivmc/ivmc/storage"
)

var _ interface {
	// Create enters obj in the catalog and, with build, fills it, in one commit:
	// a view whose first build fails does not exist. obj.ID 0 is given an id;
	// the report carries it in View's catalog entry.
	Create(ctx context.Context, obj storage.Object, build bool) (*Report, error)
	// Refresh brings a view forward to the applied TSO.
	Refresh(ctx context.Context, id storage.ID, mode Mode) (*Report, error)
	// Verify recomputes a view at its own offsets and compares.
	Verify(ctx context.Context, id storage.ID) (*VerifyReport, error)
	// Drop forgets a view: the catalog entry is removed by the caller's commit.
	Drop(id storage.ID)
	// Frontier is the base TSO that a view stands for; false before its first build.
	Frontier(id storage.ID) (storage.TSO, bool)
} = (*Engine)(nil)
