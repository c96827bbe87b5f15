package bench

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/models"
)

var update = flag.Bool("update", false, "write the lists of docs/bench.md again")

const page = "../../docs/bench.md"

// section returns where the text of a section of a page begins and ends.
func section(t *testing.T, text, title string) (from, to int) {
	t.Helper()
	head := "\n## " + title + "\n\n"
	from = strings.Index(text, head)
	if from < 0 {
		t.Fatalf("docs/bench.md has no section %q", title)
	}
	from += len(head)
	if next := strings.Index(text[from:], "\n## "); next >= 0 {
		return from, from + next
	}
	return from, len(text)
}

// TestDocumentation holds that the lists of docs/bench.md are those of the code; -update writes them.
func TestDocumentation(t *testing.T) {
	data, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	for _, s := range []struct{ title, list string }{{"Families", familyTable()}, {"Constraints", kindTable()},
		{"Hacks that were tried", hackTable()}} {
		s.list = broken(s.list)
		from, to := section(t, text, s.title)
		if text[from:to] != s.list && !*update {
			t.Errorf("the section %q is not what the code says: go test ./internal/bench -run Documentation -update", s.title)
		}
		text = text[:from] + s.list + text[to:]
	}
	if *update {
		if err := os.WriteFile(page, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// columns is how wide the lines of a page are.
const columns = 98

// broken breaks the lines that are no rows of tables.
func broken(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "|") || line == "\n" {
			b.WriteString(line)
			continue
		}
		at := 0
		for i, word := range strings.Fields(line) {
			switch {
			case at > 0 && at+1+len(word) > columns:
				b.WriteByte('\n')
				at = 0
			case i > 0:
				b.WriteByte(' ')
				at++
			}
			b.WriteString(word)
			at += len(word)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func familyTable() string {
	var b strings.Builder
	b.WriteString("| family | what is asked |\n|---|---|\n")
	for _, f := range Families() {
		fmt.Fprintf(&b, "| `%s` | %s |\n", f.Name, f.Doc)
	}
	return b.String() + "\nEach has three splits, `train`, `dev` and `test`, with tasks of their own.\n"
}

func kindTable() string {
	var b strings.Builder
	b.WriteString("| constraint | satisfied where |\n|---|---|\n")
	for _, k := range Kinds() {
		fmt.Fprintf(&b, "| `%s` | %s |\n", k.Name, k.Doc)
	}
	b.WriteString("\n`live` and `real` are constraints of every task. The layers that `real` allows beyond the start: ")
	b.WriteString("`" + strings.Join(layers, "`, `") + "`.\n")
	return b.String()
}

func hackTable() string {
	var b strings.Builder
	dead := 0
	for _, h := range hacks {
		if h.dead != "" {
			dead++
		}
	}
	fmt.Fprintf(&b, "An agent that is trained against the reward finds what the reward forgets. These %d answers "+
		"meet a budget and nothing of what was meant; "+
		"each is graded zero. Of %d the weights were found in PyTorch to get no gradient, which is the third column; "+
		"the others are refused for another reason, "+
		"or their weights get one that changes nothing.\n\n| answer | why it is graded zero | no gradient "+
		"|\n|---|---|---|\n", len(hacks), dead)
	for _, h := range hacks {
		mark := ""
		if h.dead != "" {
			mark = "yes"
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", h.name, strings.TrimSuffix(h.reason, ":"), mark)
	}
	fmt.Fprintf(&b, "\nHonest models must not be taken for hacks: of the %d bundled architectures %d have weights without effect, each for a reason that "+
		"is true of it, such as rows of positions beyond the text (`TestWellKnownModelsAreLive`).\n", len(models.List()), len(withoutEffect))
	return b.String()
}
