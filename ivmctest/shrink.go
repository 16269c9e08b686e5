package ivmctest

import (
	"strings"
	"time"
)

// shrinkFor bounds the search for a smaller script.
const shrinkFor = 10 * time.Second

// replay does a script in a new database and gives the first failure.
func replay(o Options, script []string) *failure {
	w, err := newWorld(o)
	if err != nil {
		return nil
	}
	defer w.close()
	for _, sql := range script {
		if sql != "" {
			if w.run(sql) != nil {
				return nil
			}
		} else if f := w.step(); f != nil {
			return f
		}
	}
	return nil
}

// small is a script and how it fails.
type small struct {
	script []string
	again  *failure // nil: the failure did not come again
}

// shrink leaves out of a script what it fails without: larger parts first, then
// smaller ones, until nothing more can go.
func shrink(o Options, script []string, f *failure) small {
	best := small{script, replay(o, script)}
	if best.again == nil {
		return best
	}
	stop := time.Now().Add(shrinkFor)
	try := func(less []string) bool {
		if time.Now().After(stop) {
			return false
		}
		if again := replay(o, less); again != nil {
			best = small{less, again}
			return true
		}
		return false
	}
	drop(&best, try)
	for at := 0; at < len(best.script); at++ { // transactions, to be made smaller
		body, ok := strings.CutPrefix(best.script[at], "BEGIN;\n")
		if !ok {
			continue
		}
		parts := strings.Split(strings.TrimSuffix(body, ";\nCOMMIT"), ";\n")
		try(append(append(append([]string(nil), best.script[:at]...), parts...), best.script[at+1:]...))
	}
	drop(&best, try)
	return best
}

// drop leaves out parts of a script, from halves to single statements.
func drop(best *small, try func([]string) bool) {
	for size := len(best.script) / 2; size >= 1; {
		went := false
		for at := 0; at < len(best.script); {
			end := min(at+size, len(best.script))
			less := append(append([]string(nil), best.script[:at]...), best.script[end:]...)
			if try(less) {
				went = true
			} else {
				at = end
			}
		}
		if !went || size > 1 {
			size /= 2
		}
	}
}

// report is what the test says: how the least script fails, and that script.
func (f *failure) report(o Options, s small) string {
	var b strings.Builder
	if s.again == nil {
		b.WriteString("view " + f.view + " " + f.text + "\n\nThe same script did not show it again: is a function of the program not the same each time?")
	} else {
		b.WriteString("view " + s.again.view + " " + s.again.text)
	}
	b.WriteString("\n\n-- This shows it again, by ivmc sql --memory")
	if len(o.Functions) > 0 {
		b.WriteString(" with the functions")
		for _, fn := range o.Functions {
			b.WriteString(" " + fn.String())
		}
	}
	b.WriteString(":\n" + terminated(o.Schema) + terminated(o.view()))
	for _, sql := range s.script {
		if sql != "" {
			b.WriteString(terminated(sql))
			continue
		}
		for _, v := range viewsOf(o) {
			mode := " INCREMENTAL"
			if o.AnyMode {
				mode = ""
			}
			b.WriteString("REFRESH MATERIALIZED VIEW " + quoted(v) + mode + ";\n")
		}
	}
	return b.String()
}

func terminated(sql string) string {
	sql = strings.TrimSpace(sql)
	if sql == "" || strings.HasSuffix(sql, ";") {
		return sql + "\n"
	}
	return sql + ";\n"
}

// viewsOf are the views of a world.
func viewsOf(o Options) []string {
	w, err := newWorld(o)
	if err != nil {
		return nil
	}
	defer w.close()
	return w.views
}
