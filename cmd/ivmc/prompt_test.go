//go:build unix

package main

import "testing"

// TestPromptAtOnce: who answers a prompt the moment it is there is heard. Ctrl-C
// is a key from before the prompt is shown, never a signal that nothing takes.
func TestPromptAtOnce(t *testing.T) {
	p := sit(t, nil, "sql", "--memory")
	p.sees("ivmc=> ")
	for range 300 {
		p.says("'", "ivmc'> ")
		p.types("\x03")
		p.sees("^C\nivmc=> ")
	}
	p.says(`\q`, "")
	p.leaves()
}
