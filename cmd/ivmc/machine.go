package main

import (
	"bufio"
	"os"
	"path"
	"runtime/debug"
	"strconv"
	"strings"
)

// memoryLimit is what --memory-limit says; without it a quarter of the memory that there
// is, for a table that grows takes three times its size for a moment: a statement that
// wants it all is an error then, and does not end the process.
func (a *app) memoryLimit() (int64, error) {
	if a.limit == "" {
		return memoryOf(os.ReadFile) / 4, nil
	}
	return bytesOf(a.limit)
}

// sparing has garbage collected more often where the memory runs short. GOMEMLIMIT
// has the first word.
func sparing() {
	if n := memoryOf(os.ReadFile); n > 0 && os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(n / 10 * 9)
	}
}

// memoryOf is the bytes that the process may have on Linux: those of the machine, or
// of a control group that it is in (cgroups 1 and 2) where that is less; 0: not known.
func memoryOf(read func(string) ([]byte, error)) (least int64) {
	take := func(text string, unit int64) {
		if n, err := strconv.ParseInt(text, 10, 64); err == nil && n > 0 && (least == 0 || n*unit < least) {
			least = n * unit
		}
	}
	info, _ := read("/proc/meminfo")
	for lines := bufio.NewScanner(strings.NewReader(string(info))); lines.Scan(); {
		if f := strings.Fields(lines.Text()); len(f) == 3 && f[0] == "MemTotal:" {
			take(f[1], 1<<10)
		}
	}
	if least == 0 {
		return 0
	}
	groups, _ := read("/proc/self/cgroup")
	for lines := bufio.NewScanner(strings.NewReader("0::/\n1:memory:/\n" + string(groups))); lines.Scan(); {
		f := strings.SplitN(lines.Text(), ":", 3)
		if len(f) != 3 {
			continue
		}
		root, file := "/sys/fs/cgroup", "memory.max"
		if f[1] == "memory" {
			root, file = "/sys/fs/cgroup/memory", "memory.limit_in_bytes"
		} else if f[1] != "" {
			continue
		}
		for dir := path.Clean("/" + f[2]); ; dir = path.Dir(dir) {
			limit, _ := read(path.Join(root, dir, file))
			take(strings.TrimSpace(string(limit)), 1)
			if dir == "/" {
				break
			}
		}
	}
	return least
}
