package refresh

import "fmt"

// Trigger says what started a refresh.
type Trigger uint8

// The triggers.
const (
	Manual    Trigger = iota // a statement, or a call of the library
	Scheduled                // its schedule came due
	OnCommit                 // a commit changed what it reads
	OnLag                    // it was about to be further behind than it may
	Cascaded                 // a view that reads it was refreshed with CASCADE
	Creation                 // its first build
)

// String is the word of the history.
func (t Trigger) String() string {
	words := [...]string{"MANUAL", "SCHEDULE", "COMMIT", "LAG", "CASCADE", "CREATE"}
	if int(t) < len(words) {
		return words[t]
	}
	return fmt.Sprintf("Trigger(%d)", uint8(t))
}
