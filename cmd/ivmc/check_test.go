package main

import (
	"bufio"
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// command runs the command with nothing to read.
func command(args ...string) (status int, out, errs string) {
	var o, e bytes.Buffer
	status = run(args, strings.NewReader(""), &o, &e)
	return status, o.String(), e.String()
}

// TestCheckDamage: one flipped bit in a file, and check says which table.
func TestCheckDamage(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "db")
	for _, sql := range []string{
		"CREATE TABLE hay(s TEXT); CREATE TABLE sound(n INT); INSERT INTO sound VALUES (1)",
		"INSERT INTO hay VALUES ('" + strings.Repeat("needle ", 20_000) + "')",
		"SELECT 1", // an open writes what the log holds to a file of its own
	} {
		if status, _, errs := command("sql", "--db", dir, "-c", sql); status != exitOK {
			t.Fatal(errs)
		}
	}
	if status, out, _ := command("check", "--db", dir); status != exitOK || !strings.HasPrefix(out, "ok: ") {
		t.Fatalf("%d %s", status, out)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	flipped := ""
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if i := bytes.Index(b, []byte("needle needle")); i >= 0 && !strings.HasSuffix(f, ".log") {
			b[i] ^= 1
			flipped = f
			if err := os.WriteFile(f, b, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	if flipped == "" {
		t.Fatalf("the row is in none of %v", files)
	}
	status, out, errs := command("check", "--db", dir)
	if status != exitStore || !strings.Contains(out, "hay: ") || !strings.Contains(out, "DAMAGED, 1 found") {
		t.Errorf("%s: %d %q %q", flipped, status, out, errs)
	}
	status, out, _ = command("check", "--db", dir, "--format", "json")
	if status != exitStore || !strings.Contains(out, `"faults":[{"object":"hay","text":"`) {
		t.Errorf("%d %q", status, out)
	}
	if status, out, _ := command("sql", "--db", dir, "-c", "SELECT * FROM sound"); status != exitOK || !strings.Contains(out, "1") {
		t.Errorf("the sound table: %d %q", status, out)
	}
}

// TestMan: every command has a page, and every flag stands on it.
func TestMan(t *testing.T) {
	dir := t.TempDir()
	if status, _, errs := command("man", "--dir", dir); status != exitOK {
		t.Fatal(errs)
	}
	pages, err := filepath.Glob(filepath.Join(dir, "*.1"))
	if err != nil || len(pages) < 12 {
		t.Fatalf("%d pages, %v", len(pages), err)
	}
	status, out, _ := command("man", "refresh")
	if page, err := os.ReadFile(filepath.Join(dir, "ivmc-refresh.1")); status != exitOK || err != nil || string(page) != out {
		t.Errorf("%d %v", status, err)
	}
	for _, want := range []string{".TH IVMC\\-REFRESH 1", ".B \\-\\-cascade\n", ".B \\-\\-mode string\n", ".B \\-\\-db string\n", ".SH EXIT STATUS", ".SH EXAMPLES"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if got := roff(".TH 'a' \\ -x\n.b"); got != `\&.TH \(aqa\(aq \e \-x`+"\n"+`\&.b` {
		t.Error(got)
	}
	if status, _, _ := command("man", "nonsense"); status != exitUsage {
		t.Errorf("status %d", status)
	}
}

// TestWriteWhole: a failure leaves what was there, and nothing beside it.
func TestWriteWhole(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "f")
	if err := os.WriteFile(name, []byte("before"), 0o644); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	if err := writeWhole(name, func(b *bufio.Writer) error { b.WriteString("half"); return broken }); err != broken {
		t.Error(err)
	}
	if b, _ := os.ReadFile(name); string(b) != "before" {
		t.Errorf("%q", b)
	}
	if err := writeWhole(name, func(b *bufio.Writer) error { _, err := b.WriteString("after"); return err }); err != nil {
		t.Error(err)
	}
	if b, _ := os.ReadFile(name); string(b) != "after" {
		t.Errorf("%q", b)
	}
	if left, _ := os.ReadDir(dir); len(left) != 1 {
		t.Errorf("%d files", len(left))
	}
	if err := writeWhole(os.DevNull, func(b *bufio.Writer) error { _, err := b.WriteString("x"); return err }); err != nil {
		t.Error(err)
	}
}
