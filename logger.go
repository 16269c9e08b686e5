package ivmc

import (
	"fmt"
	"log/slog"

	"github.com/ivmc/ivmc/storage"
)

// logLines makes records of a log of the lines that are written below.
type logLines struct{ l *slog.Logger }

// logger is l for the packages below; nil is silence.
func logger(l *slog.Logger) storage.Logger {
	if l == nil {
		return nil
	}
	return logLines{l}
}

func (x logLines) Infof(format string, args ...any)  { x.l.Info(fmt.Sprintf(format, args...)) }
func (x logLines) Errorf(format string, args ...any) { x.l.Error(fmt.Sprintf(format, args...)) }
