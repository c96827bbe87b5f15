package leaderboard

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/quantity"
)

// TestTheNotesHaveTheFiguresOfTheResults compares the table of docs/bench.md with the committed results.
func TestTheNotesHaveTheFiguresOfTheResults(t *testing.T) {
	notes, err := os.ReadFile("../../../docs/bench.md")
	if err != nil {
		t.Fatal(err)
	}
	lines := Board(Results(), "")
	for i := range lines {
		l := &lines[i]
		want := fmt.Sprintf("| `%s` | %.1f |", l.Agent, 100*float64(l.All.Passed)/float64(l.All.Tasks))
		for _, f := range l.Families {
			want += fmt.Sprintf(" %.1f |", 100*float64(f.Passed)/float64(f.Tasks))
		}
		want += " " + quantity.Grouped(int64(l.All.Gradings)) + " |"
		if !strings.Contains(string(notes), "\n"+want+"\n") {
			t.Errorf("docs/bench.md has no line %s", want)
		}
	}
}
