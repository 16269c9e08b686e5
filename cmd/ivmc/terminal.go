package main

import "os"

// terminal reports whether f is one. The null device, a character device too,
// is none.
func terminal(f any) bool {
	file, ok := below(f).(*os.File)
	if !ok {
		return false
	}
	st, err := file.Stat()
	if err != nil || st.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(st, null)
}
