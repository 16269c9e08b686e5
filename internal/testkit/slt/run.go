package slt

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// Options says how to run a file.
type Options struct {
	// Refresh brings the file's materialized views up to date before each query,
	// for files of engines that do it themselves.
	Refresh bool
}

// Report is what came of a file.
type Report struct {
	Passed, Skipped int
	Failures        []string
	Lines           []int // of the records that failed
}

func (r *Report) fail(rec *Record, format string, args ...any) {
	r.Lines = append(r.Lines, rec.Line)
	r.Failures = append(r.Failures, fmt.Sprintf("line %d: %s\n%s", rec.Line, rec.SQL, fmt.Sprintf(format, args...)))
}

// Run runs the records as printed.
func Run(e Engine, records []Record, opt Options) *Report {
	rep := &Report{}
	labels := map[string]string{}
	mode := "nosort"
	var views []string
	for i := range records {
		rec := &records[i]
		switch {
		case !rec.For(e.Names()):
			rep.Skipped++
			continue
		case rec.Kind == Halt:
			return rep
		case rec.Kind == Control:
			if m, ok := strings.CutPrefix(rec.SQL, "sortmode "); ok {
				mode = m
			}
			continue
		case rec.Kind == Other || rec.Kind == Threshold:
			continue
		}
		if opt.Refresh && rec.Kind == Query {
			for _, v := range views {
				if _, err := e.Exec("REFRESH MATERIALIZED VIEW " + v); err != nil {
					rep.fail(rec, "refresh of %s: %v", v, err)
				}
			}
		}
		res, err := e.Exec(rec.SQL)
		if name := viewName(rec.SQL); name != "" && err == nil {
			views = append(views, name)
		}
		n := len(rep.Failures)
		switch {
		case rec.Fails:
			if m := wantError(err, rec.Error); m != "" {
				rep.fail(rec, "%s", m)
			}
		case err != nil:
			rep.fail(rec, "%v", err)
		case rec.Kind == Statement:
			if rec.Count >= 0 && rec.Count != res.Count {
				rep.fail(rec, "%d rows, wanted %d", res.Count, rec.Count)
			}
		default:
			m := rec.Sort
			if m == "" {
				m = mode
			}
			rep.query(rec, m, res, labels)
		}
		if len(rep.Failures) == n {
			rep.Passed++
		}
	}
	return rep
}

// query checks the rows, and that queries of one label agree.
func (r *Report) query(rec *Record, mode string, res *Result, labels map[string]string) {
	if rec.Said {
		if m := check(rec, mode, res); m != "" {
			r.fail(rec, "%s", m)
			return
		}
	}
	if rec.Label == "" {
		return
	}
	sum := hash(values(rec, mode, res))
	if old, ok := labels[rec.Label]; ok && old != sum {
		r.fail(rec, "another result than that of label %s before", rec.Label)
	}
	labels[rec.Label] = sum
}

var sqlstate = regexp.MustCompile(`^[0-9A-Z]{5}$`)

// wantError says how err is not the error wanted; "" if it is.
func wantError(err error, want string) string {
	var f *Failure
	switch {
	case err == nil:
		return "wanted an error, there was none"
	case !errors.As(err, &f):
		return err.Error()
	case want == "":
		return ""
	case sqlstate.MatchString(want):
		if f.Code != want {
			return fmt.Sprintf("%v, wanted %s", f, want)
		}
		return ""
	}
	re, rerr := regexp.Compile(want)
	switch {
	case rerr != nil:
		return rerr.Error()
	case !re.MatchString(f.Error()):
		return fmt.Sprintf("error %q does not match %q", f.Error(), want)
	}
	return ""
}

var createView = regexp.MustCompile(`(?is)^\s*CREATE\s+MATERIALIZED\s+VIEW\s+(?:IF\s+NOT\s+EXISTS\s+)?("[^"]+"|[\w.]+)(.*?)\s+AS\s+(.*)$`)

// viewName is the name of the materialized view that sql makes; "" if it makes none.
func viewName(sql string) string {
	m := createView.FindStringSubmatch(sql)
	if m == nil {
		return ""
	}
	return m[1]
}
