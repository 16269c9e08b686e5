package postgres

import (
	"errors"
	"os"
	"testing"
)

// TestStart: a server starts, answers with types and errors, and leaves nothing behind.
func TestStart(t *testing.T) {
	s, err := Start()
	if errors.Is(err, ErrAbsent) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	c, err := s.Connect()
	if err != nil {
		t.Fatal(err)
	}
	r, err := c.Exec("SELECT 1::numeric(5,2) AS a, NULL::varchar(3)[] AS b")
	if err != nil || len(r.Rows) != 1 || r.Columns[0] != (Column{"a", "numeric(5,2)"}) || r.Columns[1].Type != "character varying(3)[]" ||
		r.Rows[0][0].Text != "1.00" || !r.Rows[0][1].Null || r.Tag != "SELECT 1" {
		t.Errorf("got %+v %v", r, err)
	}
	if r, err = c.Exec("SELECT 1/0"); err != nil || r.Code != "22012" {
		t.Errorf("got %+v %v", r, err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if err := s.Stop(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(s.dir); s.dir != "" && !os.IsNotExist(err) {
		t.Errorf("%s is still there: %v", s.dir, err)
	}
}
