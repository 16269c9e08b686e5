package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"runtime/pprof"
	"strings"
	"text/tabwriter"
	"time"
)

// figure is one measured number beside its floor.
type figure struct {
	Section string  `json:"section"`
	Name    string  `json:"name"`
	Value   float64 `json:"value"`
	Unit    string  `json:"unit"`
	Floor   string  `json:"floor,omitempty"` // as text: ">= 1e6"
	OK      *bool   `json:"ok,omitempty"`
}

// atLeast and atMost build figures that have a floor or a ceiling.
func atLeast(section, name string, v float64, unit string, floor float64) figure {
	ok := v >= floor
	return figure{section, name, v, unit, fmt.Sprintf(">= %g", floor), &ok}
}

func atMost(section, name string, v float64, unit string, limit float64) figure {
	ok := v <= limit
	return figure{section, name, v, unit, fmt.Sprintf("<= %g", limit), &ok}
}

func plain(section, name string, v float64, unit string) figure {
	return figure{Section: section, Name: name, Value: v, Unit: unit}
}

// run is what a section gets.
type run struct {
	data    string
	view    string
	profile string // file of a CPU profile, or ""
}

// profiled starts the profile; the caller calls the result when it has measured.
func (r run) profiled() (stop func(), err error) {
	if r.profile == "" {
		return func() {}, nil
	}
	f, err := os.Create(r.profile)
	if err != nil {
		return nil, err
	}
	return func() { pprof.StopCPUProfile(); f.Close() }, pprof.StartCPUProfile(f)
}

// section is a set of figures measured in one process.
type section struct {
	name    string
	perView bool // one process a view
	procs   int  // GOMAXPROCS
	f       func(run) ([]figure, error)
}

var sections = []section{
	{"volatile", true, 1, volatile},
	{"durable", true, 2, durable},
	{"size", true, 1, sizeIndependence},
	{"choice", true, 1, choice},
	{"outer", false, 1, outer},
	{"many", false, 2, many},
	{"complete", false, 1, complete},
	{"memory", false, 2, memoryUse},
	{"readers", false, 2, readers},
	{"log", false, 2, logPrice},
}

func main() {
	data := flag.String("data", "", "directory with flights-3m.parquet and airports.csv")
	out := flag.String("json", "", "write the figures to this file")
	only := flag.String("section", "", "one section: volatile, durable, size, choice, outer, many, complete, memory, readers, log")
	view := flag.String("view", "", "one view: F, G1, G2, J, M")
	child := flag.Bool("child", false, "run in this process and print JSON")
	prof := flag.String("cpuprofile", "", "with -child: write a CPU profile of the changes, without loading")
	flag.Parse()
	if *data == "" {
		fmt.Fprintln(os.Stderr, "bench: -data is needed")
		os.Exit(2)
	}
	var err error
	if *child {
		err = runChild(*only, run{*data, *view, *prof})
	} else {
		err = runAll(*data, *out, *only, *view)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func runChild(name string, r run) error {
	for _, s := range sections {
		if s.name == name {
			figs, err := s.f(r)
			if err != nil {
				return err
			}
			return json.NewEncoder(os.Stdout).Encode(figs)
		}
	}
	return fmt.Errorf("no section %q", name)
}

func runAll(data, out, only, view string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	var all []figure
	for _, s := range sections {
		if only != "" && only != s.name {
			continue
		}
		vs := []string{""}
		if s.perView {
			vs = viewNames
			if view != "" {
				vs = []string{view}
			}
		}
		for _, v := range vs {
			start := time.Now()
			cmd := exec.Command(self, "-child", "-data", data, "-section", s.name, "-view", v)
			cmd.Env = append(os.Environ(), fmt.Sprintf("GOMAXPROCS=%d", s.procs))
			cmd.Stderr = os.Stderr
			b, err := cmd.Output()
			if err != nil {
				return fmt.Errorf("section %s %s: %w", s.name, v, err)
			}
			var figs []figure
			if err := json.Unmarshal(b, &figs); err != nil {
				return err
			}
			all = append(all, figs...)
			fmt.Fprintf(os.Stderr, "%s %s: %.0f s\n", s.name, v, time.Since(start).Seconds())
		}
	}
	print(all)
	if out == "" {
		return nil
	}
	doc := struct {
		Date    string   `json:"date"`
		Go      string   `json:"go"`
		CPUs    int      `json:"cpus"`
		Load    string   `json:"loadavg"`
		Figures []figure `json:"figures"`
	}{time.Now().UTC().Format(time.DateOnly), runtime.Version(), runtime.NumCPU(), loadavg(), all}
	b, err := json.MarshalIndent(doc, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(out, append(b, '\n'), 0o644)
}

func print(figs []figure) {
	w := tabwriter.NewWriter(os.Stdout, 0, 4, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "section\tfigure\tvalue\tunit\tasked\tmet\t")
	for _, f := range figs {
		met := ""
		if f.OK != nil {
			met = map[bool]string{true: "yes", false: "NO"}[*f.OK]
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t\n", f.Section, f.Name, human(f.Value), f.Unit, f.Floor, met)
	}
	w.Flush()
}

func human(v float64) string {
	switch {
	case v >= 1e5:
		return fmt.Sprintf("%.2f M", v/1e6)
	case v >= 100:
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.3g", v)
}

func loadavg() string {
	b, _ := os.ReadFile("/proc/loadavg")
	return strings.TrimSpace(string(b))
}
