package main

import (
	"os"
	"testing"
)

// TestMemoryOf: the least of the machine and the groups around the process counts;
// what cannot be read or is no number does not.
func TestMemoryOf(t *testing.T) {
	const machine = "MemTotal:       24000000 kB\nMemFree: 1 kB\n"
	for _, c := range []struct {
		files map[string]string
		want  int64
	}{
		{map[string]string{}, 0},
		{map[string]string{"/proc/meminfo": machine}, 24000000 << 10},
		{map[string]string{"/proc/meminfo": machine, "/sys/fs/cgroup/memory.max": "max\n"}, 24000000 << 10},
		{map[string]string{"/proc/meminfo": machine, "/sys/fs/cgroup/memory.max": "1073741824\n"}, 1 << 30},
		{map[string]string{"/proc/meminfo": machine, "/proc/self/cgroup": "0::/a/b\n", "/sys/fs/cgroup/a/memory.max": "2048\n", "/sys/fs/cgroup/a/b/memory.max": "max\n"}, 2048},
		{map[string]string{"/proc/meminfo": machine, "/proc/self/cgroup": "7:cpu:/\n4:memory:/x\n", "/sys/fs/cgroup/memory/x/memory.limit_in_bytes": "4096\n",
			"/sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n"}, 4096},
	} {
		got := memoryOf(func(name string) ([]byte, error) {
			if text, ok := c.files[name]; ok {
				return []byte(text), nil
			}
			return nil, os.ErrNotExist
		})
		if got != c.want {
			t.Errorf("%v: %d, wanted %d", c.files, got, c.want)
		}
	}
}
