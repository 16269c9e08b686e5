package zset

import (
	"strconv"
	"testing"
)

// TestMiddles: digits that lie exactly between two numbers are not written for either,
// as PostgreSQL 15 prints them.
func TestMiddles(t *testing.T) {
	for in, want := range map[string]string{
		"1e23": "9.999999999999999e+22", "-1e23": "-9.999999999999999e+22", "4611686016279904256": "4.6116860162799043e+18",
		"6.39999999999999946e+24": "6.399999999999999e+24", "7.05636274489087040e+16": "7.0563627448908704e+16", "9007199254740993": "9.007199254740992e+15", "1e22": "1e+22",
	} {
		f, err := strconv.ParseFloat(in, 64)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(AppendFloat(nil, f)); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
	if got := string(AppendReal(nil, 242627808)); got != "2.4262781e+08" {
		t.Error(got)
	}
}
