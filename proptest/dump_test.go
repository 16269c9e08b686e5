package proptest

import (
	"bytes"
	"context"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/ivmc/ivmc"
	"github.com/ivmc/ivmc/internal/testkit/querygen"
)

// TestDump: whatever a world went through, its dump makes the same tables and
// views, whose dump is the same text; and a check of either finds nothing.
func TestDump(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		w := newWorld(t, seed, querygen.Options{Distinct: true, Order: true}, 1+int(seed%3), int(seed/3%4))
		defer w.close()
		for range 1 + seed%7 {
			w.transaction()
		}
		w.refreshAll("")
		first := dump(t, w.db)
		copied, err := ivmc.Open("", &ivmc.Options{InMemory: true})
		if err != nil {
			t.Fatal(err)
		}
		defer copied.Close()
		if _, err := copied.Exec(context.Background(), first); err != nil {
			w.fail("restoring: %v\n%s", err, first)
		}
		if second := dump(t, copied); second != first {
			w.fail("dumped\n%s\nand again\n%s", first, second)
		}
		for _, v := range w.views {
			a, err := bag(w.db, "SELECT * FROM "+v.name)
			if err != nil {
				w.fail("%v", err)
			}
			b, err := bag(copied, "SELECT * FROM "+v.name)
			if err != nil || !slices.Equal(a, b) {
				w.fail("view %s is\n%v\nand in the copy\n%v, %v", v.name, a, b, err)
			}
		}
		for _, db := range []*ivmc.DB{w.db, copied} {
			rep, err := db.Check(context.Background())
			if err != nil || len(rep.Faults) > 0 {
				w.fail("check: %+v, %v", rep, err)
			}
		}
	})
}

func dump(t fataler, db *ivmc.DB) string {
	var b bytes.Buffer
	if err := db.Dump(context.Background(), &b); err != nil {
		t.Fatalf("dump: %v", err)
	}
	return b.String()
}
