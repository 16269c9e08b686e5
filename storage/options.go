package storage

import (
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/ivmc/ivmc/trace"
)

// Logger hears what goes on inside; nothing depends on it.
type Logger interface {
	Infof(format string, args ...any)
	Errorf(format string, args ...any)
}

type quiet struct{}

func (quiet) Infof(string, ...any)  {}
func (quiet) Errorf(string, ...any) {}

// Options of [Open]. The zero Options are those of a durable store.
type Options struct {
	FS         vfs.FS           // nil: the operating system's
	Clock      func() time.Time // nil: time.Now
	NoSync     bool             // volatile: no commit waits for the disk; a crash may lose the last ones, never the order
	Memory     bool             // the file system is memory: no log is written ahead, and NoSync; Close loses what was not flushed
	MustExist  bool             // do not create: ErrMissing
	Logger     Logger           // nil: silence
	CacheBytes int64            // block cache; 0: 16 MiB. Rows are cached as columns, not here
	RunBytes   int64            // a change larger than this is written ahead; 0: 8 MiB
	MergeFan   int              // this many adjacent small blocks are merged into one; 0: 16; negative: never
	Tracer     trace.Tracer     // hears of commits; nil: nobody
	PID        int              // shown to a second opener; 0: the process id
}

// EnsureDefaults fills in what is zero.
func (o *Options) EnsureDefaults() {
	if o.FS == nil {
		o.FS = vfs.Default
	}
	o.NoSync = o.NoSync || o.Memory
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.Logger == nil {
		o.Logger = quiet{}
	}
	if o.CacheBytes <= 0 {
		o.CacheBytes = 16 << 20
	}
	if o.RunBytes <= 0 {
		o.RunBytes = 8 << 20
	}
	if o.MergeFan == 0 {
		o.MergeFan = 16
	}
}
