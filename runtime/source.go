package runtime

import (
	"context"

	"github.com/ivmc/ivmc/storage"
	"github.com/ivmc/ivmc/zset"
)

// Source is the relations of a database as one reader sees them: at one TSO,
// possibly overlaid by a transaction's own writes. Rows have weight 1; a row
// that stands twice in a bag is handed out twice.
type Source interface {
	// Scan reads the columns cols (positions in the relation) of all visible
	// rows; with addr a last BIGINT column holds the address of each version.
	Scan(ctx context.Context, rel storage.ID, cols []int, addr bool) (Cursor, error)
	// Read reads the rows of another TSO, or records of the log: the columns cols,
	// positions in the relation or those of storage.ColumnOp and its like.
	Read(ctx context.Context, rel storage.ID, r Reading, cols []int) (Cursor, error)
	// FindKey reads the rows whose primary key is one of keys (key encodings of
	// the key columns in the order of the relation's key), as Scan hands them
	// out; keys that are not there are left out.
	FindKey(ctx context.Context, rel storage.ID, keys *zset.Keys, cols []int, addr bool) (*zset.Batch, error)
}

// Reading is what a plan reads of a relation that is not its rows of now: the
// records of a window, or with Image the rows at its end.
type Reading struct {
	Image bool
	storage.Window
}

// Cursor hands out batches of at most 4096 rows and then io.EOF. A batch is
// valid until the next call. *storage.Cursor is one.
type Cursor interface {
	Next(ctx context.Context) (*zset.Batch, error)
}
