package ivmc_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/ivmc/ivmc"
	"github.com/ivmc/ivmc/internal/testkit/cases"
)

// TestCases runs every script, each in a database of its own: in memory, and on
// disk with the database closed and opened again at the end, when every view
// must still agree with its definition.
func TestCases(t *testing.T) {
	files, err := filepath.Glob("testdata/cases/*.test")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, f := range files {
		t.Run(filepath.Base(f), func(t *testing.T) {
			text, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			ctx := context.Background()
			db := open(t)
			if err := cases.Run(ctx, db, string(text)); err != nil {
				t.Fatal(err)
			}
			dir := filepath.Join(t.TempDir(), "db")
			disk, err := ivmc.Open(dir, &ivmc.Options{NoSync: true})
			if err != nil {
				t.Fatal(err)
			}
			if err := cases.Run(ctx, disk, string(text)); err != nil {
				t.Fatalf("on disk: %v", err)
			}
			if err := disk.Close(); err != nil {
				t.Fatal(err)
			}
			if disk, err = ivmc.Open(dir, &ivmc.Options{MustExist: true}); err != nil {
				t.Fatal(err)
			}
			defer disk.Close()
			for _, v := range disk.Views() {
				rep, err := disk.Verify(ctx, v)
				if err != nil || !rep.Equal {
					t.Fatalf("after reopening, %s: %+v %v", v, rep, err)
				}
			}
		})
	}
}
