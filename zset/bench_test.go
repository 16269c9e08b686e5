package zset

import (
	"syscall"
	"testing"
)

// measure runs f over and over and reports, beside the wall time, the CPU time
// of the process for each of the n rows that f handles: steadier on a machine
// that is busy with other things.
func measure(b *testing.B, n int, f func()) {
	b.Helper()
	start := cpuTime()
	for b.Loop() {
		f()
	}
	b.ReportMetric(float64(cpuTime()-start)/float64(b.N)/float64(n), "cpu-ns/row")
}

func cpuTime() int64 {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		return 0
	}
	return r.Utime.Nano() + r.Stime.Nano()
}
