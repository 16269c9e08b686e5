package ivmc_test

import (
	"testing"

	"github.com/ivmc/ivmc"
)

// open opens a database in memory that the test's end closes.
func open(t testing.TB) *ivmc.DB {
	t.Helper()
	db, err := ivmc.Open("", &ivmc.Options{InMemory: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}
