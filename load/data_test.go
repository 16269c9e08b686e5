package load

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// TestRealFiles reads published data where IVMC_DATA names its directory.
func TestRealFiles(t *testing.T) {
	dir := os.Getenv("IVMC_DATA")
	if dir == "" {
		t.Skip("IVMC_DATA is not set")
	}
	for name, want := range map[string]struct {
		rows   int
		fields string
	}{
		"airports.csv":       {3376, "iata text, name text, city text, state text, country text, latitude double precision, longitude double precision"},
		"birdstrikes.csv":    {10000, ""},
		"flights-10k.json":   {10000, "date timestamp without time zone, delay bigint, distance bigint, origin text, destination text"},
		"flights-200k.arrow": {200000, "delay smallint, distance smallint, time real"},
		"flights-3m.parquet": {3000000, "date timestamp without time zone, delay bigint, distance bigint, origin text, destination text"},
	} {
		s, err := Open(context.Background(), filepath.Join(dir, name), Options{}, nil)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		fields := ""
		for i, f := range s.Fields() {
			if i > 0 {
				fields += ", "
			}
			fields += fmt.Sprintf("%s %s", f.Name, f.Type)
		}
		n := 0
		for {
			b, err := s.Next(context.Background())
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if b == nil {
				break
			}
			n += b.N
		}
		s.Close()
		if n != want.rows || want.fields != "" && fields != want.fields {
			t.Errorf("%s: %d rows (%s)", name, n, fields)
		}
	}
}
