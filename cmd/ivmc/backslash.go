package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ivmc/ivmc"
)

// backslash is a command of the shell. A row of backslashes is all there is to
// one: help and completion are made of the rows.
type backslash struct {
	name, args, help string
	run              func(sh *shell, ctx context.Context, arg string) error
}

// backslashes are the commands, with psql's names and meanings.
func backslashes() []backslash {
	return []backslash{
		{"q", "", "leave", func(*shell, context.Context, string) error { return errLeave }},
		{"?", "", "this list", (*shell).listCommands},
		{"h", "[STATEMENT]", "the syntax of a statement; without one, the list", (*shell).syntax},
		{"d", "[NAME]", "tables and views (* and ? allowed), or one of them", (*shell).describe},
		{"dt", "[NAME]", "tables", func(sh *shell, ctx context.Context, arg string) error { return sh.list(ctx, arg, "table") }},
		{"dv", "[NAME]", "views", func(sh *shell, ctx context.Context, arg string) error {
			return sh.list(ctx, arg, "view", "materialized view")
		}},
		{"dm", "[NAME]", "materialized views", func(sh *shell, ctx context.Context, arg string) error {
			return sh.list(ctx, arg, "materialized view")
		}},
		{"x", "[on|off|auto]", "a line a column; auto: where the window is too narrow", (*shell).expanded},
		{"timing", "[on|off]", "say how long statements take", (*shell).setTiming},
		{"pset", "null [TEXT]", "what stands for NULL", (*shell).pset},
		{"g", "", "run what is typed, or the last statement again", func(sh *shell, ctx context.Context, _ string) error {
			return sh.again(ctx)
		}},
		{"gx", "", "the same, a line for each column", (*shell).againExpanded},
		{"watch", "[SECONDS]", "run it every 2 seconds until Ctrl-C", (*shell).watch},
		{"p", "", "print the statement that is typed", (*shell).printBuffer},
		{"r", "", "forget it", func(sh *shell, _ context.Context, _ string) error { sh.forget(); return nil }},
		{"e", "[FILE]", "edit it, or the last one, in $EDITOR", (*shell).edit},
		{"i", "FILE", "run a file", (*shell).include},
		{"o", "[FILE]", "results to a file; without one, here again", (*shell).output},
		{"s", "", "what was typed before", (*shell).showHistory},
		{"echo", "[TEXT]", "print a text", func(sh *shell, _ context.Context, arg string) error { return sh.say("%s\n", unquoted(arg)) }},
		{"conninfo", "", "the database", (*shell).connection},
	}
}

// command runs a line that begins with a backslash.
func (sh *shell) command(ctx context.Context, text string) error {
	name, arg := strings.TrimPrefix(text, `\`), ""
	if i := strings.IndexAny(name, " \t;"); i >= 0 {
		name, arg = name[:i], strings.TrimSpace(strings.TrimRight(strings.TrimSpace(name[i:]), ";"))
	}
	name = strings.TrimSuffix(name, "+") // psql's "more of it"; there is no less of it here
	for _, b := range backslashes() {
		if b.name != name {
			continue
		}
		within, done := sh.a.stoppable(ctx)
		var err error
		switch {
		case b.args == "" && arg != "":
			err = fmt.Errorf("%q is an argument too many; \\o FILE sends results to a file", arg)
		case sh.format == "csv" && slices.Contains([]string{"x", "gx", "pset"}, b.name):
			err = errors.New("it is for tables, and --format is csv")
		default:
			err = b.run(sh, within, arg)
		}
		done()
		if errors.Is(err, errLeave) {
			return err
		}
		var e *exit
		if errors.As(err, &e) {
			return err
		}
		if err != nil {
			sh.failed = true
			fmt.Fprintf(sh.a.err, "\\%s: %s\n", b.name, plain(err))
		}
		return sh.flush()
	}
	sh.failed = true
	fmt.Fprintf(sh.a.err, "invalid command \\%s\nTry \\? for help.\n", name)
	return nil
}

// say prints where results go.
func (sh *shell) say(format string, args ...any) error {
	_, err := fmt.Fprintf(sh.out, format, args...)
	return err
}

func (sh *shell) flush() error {
	if err := sh.out.Flush(); err != nil {
		sh.out.Reset(sh.target)
		fmt.Fprintf(sh.a.err, "write: %v\n", err)
	}
	return nil
}

func (sh *shell) listCommands(context.Context, string) error {
	for _, b := range backslashes() {
		if err := sh.say("  %-20s %s\n", `\`+b.name+" "+b.args, b.help); err != nil {
			return err
		}
	}
	return sh.say("Ctrl-C stops a statement that runs, and drops one that is half typed.\nTab completes words.\n")
}

// onOff is the value of a switch: the word, or the other one.
func onOff(arg string, now bool) (bool, error) {
	switch strings.ToLower(arg) {
	case "":
		return !now, nil
	case "on", "true", "1":
		return true, nil
	case "off", "false", "0":
		return false, nil
	}
	return now, fmt.Errorf("%q is neither on nor off", arg)
}

func (sh *shell) expanded(_ context.Context, arg string) error {
	if strings.EqualFold(arg, "auto") {
		sh.tables.expand = expandAuto
		return sh.say("Expanded display is used automatically.\n")
	}
	on, err := onOff(arg, sh.tables.expand != expandNever)
	if err != nil {
		return err
	}
	sh.tables.expand = expandNever
	if on {
		sh.tables.expand = expandAlways
		return sh.say("Expanded display is on.\n")
	}
	return sh.say("Expanded display is off.\n")
}

func (sh *shell) setTiming(_ context.Context, arg string) (err error) {
	if sh.timing, err = onOff(arg, sh.timing); err != nil {
		return err
	}
	return sh.say("Timing is %s.\n", map[bool]string{true: "on", false: "off"}[sh.timing])
}

func (sh *shell) pset(_ context.Context, arg string) error {
	name, value, _ := strings.Cut(arg, " ")
	if name != "null" {
		return fmt.Errorf("unknown option %q; there is: null", name)
	}
	value = unquoted(strings.TrimSpace(value))
	sh.null, sh.tables.null = &value, value
	return sh.say("Null display is %q.\n", value)
}

// unquoted is a text without the quotes around parts of it; a quote that stands twice
// in them is one, and one that has no end is a letter.
func unquoted(s string) string {
	var b strings.Builder
	in := false
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] != '\'':
			b.WriteByte(s[i])
		case in && strings.HasPrefix(s[i:], "''"):
			b.WriteByte('\'')
			i++
		default:
			in = !in
		}
	}
	if in {
		return s
	}
	return b.String()
}

// again runs what is typed, or the last statement.
func (sh *shell) again(ctx context.Context) error {
	text := sh.last
	if begun(sh.script) {
		text = sh.script.Rest()
	}
	if strings.TrimSpace(text) == "" {
		return errors.New("there is no statement yet")
	}
	return sh.statement(ctx, ivmc.Statement{Text: text, Line: 1, Column: 1})
}

func (sh *shell) againExpanded(ctx context.Context, _ string) error {
	was := sh.tables.expand
	sh.tables.expand = expandAlways
	defer func() { sh.tables.expand = was }()
	return sh.again(ctx)
}

func (sh *shell) watch(ctx context.Context, arg string) error {
	every := 2 * time.Second
	if arg != "" {
		var err error
		if every, err = seconds(arg); err != nil {
			return err
		}
	}
	if begun(sh.script) {
		sh.last = sh.script.Rest()
	}
	if strings.TrimSpace(sh.last) == "" {
		return errors.New("there is no statement yet")
	}
	for {
		fmt.Fprintf(sh.out, "%s (every %gs)\n\n", time.Now().Format(time.DateTime), every.Seconds())
		sh.failed = false
		if err := sh.again(ctx); err != nil {
			return err
		}
		if sh.failed { // it would fail again
			return nil
		}
		within, done := sh.a.stoppable(ctx)
		t := time.NewTimer(every)
		select {
		case <-t.C:
			done()
		case <-within.Done():
			t.Stop()
			done()
			fmt.Fprintln(sh.a.out)
			return nil
		}
		if sh.stopped {
			return nil
		}
	}
}

func (sh *shell) printBuffer(context.Context, string) error {
	text := sh.script.Pending()
	if strings.TrimSpace(text) == "" {
		text = sh.last + ";\n"
	}
	if strings.TrimSpace(text) == ";" {
		return sh.say("There is no statement.\n")
	}
	return sh.say("%s", strings.TrimLeft(text, "\n"))
}

// edit hands the statement to an editor and takes back what it left. With a
// semicolon at its end it runs, as if it had been typed.
func (sh *shell) edit(ctx context.Context, name string) error {
	if sh.ed == nil {
		return errors.New("there is no terminal to edit on")
	}
	text := sh.script.Pending()
	if strings.TrimSpace(text) == "" && sh.last != "" {
		text = strings.TrimSpace(sh.last) + ";\n"
	}
	if name == "" {
		dir, err := os.MkdirTemp("", "ivmc-edit-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		name = filepath.Join(dir, "statement.sql")
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			return err
		}
	}
	program := ""
	for _, v := range []string{"IVMC_EDITOR", "VISUAL", "EDITOR"} {
		if program == "" {
			program = os.Getenv(v)
		}
	}
	if program == "" {
		program = "vi"
	}
	words := append(strings.Fields(program), name)
	err := sh.ed.aside(func() error {
		c := exec.Command(words[0], words[1:]...)
		c.Stdin, c.Stdout, c.Stderr = os.Stdin, os.Stdout, os.Stderr
		return c.Run()
	})
	if err != nil {
		return err
	}
	b, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	sh.forget()
	got := strings.TrimRight(string(b), "\n") + "\n"
	if err := sh.say("%s", got); err != nil {
		return err
	}
	for line := range strings.Lines(got) {
		if err := sh.line(ctx, strings.TrimSuffix(line, "\n")); err != nil {
			return err
		}
	}
	return nil
}

// maxInclude is how deep files may run files.
const maxInclude = 32

// include runs a file, its statements and its commands, as if they were typed;
// errors name the file. What it leaves half is dropped.
func (sh *shell) include(ctx context.Context, name string) error {
	if name == "" {
		return errors.New("which file?")
	}
	if sh.depth == maxInclude {
		return fmt.Errorf("%s: files run files more than %d deep", name, maxInclude)
	}
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	script, source := sh.script, sh.source
	sh.script, sh.source = ivmc.NewScript(nil), name
	sh.depth++
	defer func() {
		sh.script, sh.source = script, source
		sh.depth--
	}()
	r := bufio.NewReader(f)
	for ctx.Err() == nil && !sh.stopped {
		line, err := r.ReadString('\n')
		if line != "" {
			if err := sh.line(ctx, strings.TrimRight(line, "\r\n")); errors.Is(err, errLeave) {
				return nil // of the file
			} else if err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			if sh.script.Partial() { // the last statement needs no semicolon
				sh.script.Feed(";")
				return sh.run(ctx)
			}
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (sh *shell) output(_ context.Context, name string) error {
	if err := sh.out.Flush(); err != nil {
		fmt.Fprintf(sh.a.err, "\\o: %v\n", err)
	}
	if c, ok := sh.target.w.(*os.File); ok && sh.target.w != sh.a.out {
		if err := c.Close(); err != nil {
			fmt.Fprintf(sh.a.err, "\\o: %v\n", err)
		}
	}
	if name == "" {
		return sh.printTo(sh.a.out, sh.a.look())
	}
	f, err := os.Create(name)
	if err != nil {
		return errors.Join(err, sh.printTo(sh.a.out, sh.a.look()))
	}
	return sh.printTo(f, look{})
}

func (sh *shell) showHistory(context.Context, string) error {
	for _, e := range sh.hist.load() {
		if err := sh.say("%s\n", e); err != nil {
			return err
		}
	}
	return nil
}

func (sh *shell) connection(context.Context, string) error {
	if sh.a.memory {
		return sh.say("A database in memory, gone at the end.\n")
	}
	if sh.a.through {
		return sh.say("The database in the directory %q, through the process that serves it.\n", sh.a.db)
	}
	return sh.say("The database in the directory %q.\n", sh.a.db)
}
