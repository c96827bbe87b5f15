package comment

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/modelverifier/verifier/internal/comment/commenttest"
)

func suggested(s *commenttest.Server) (out []string) {
	for _, c := range s.Comments() {
		if c.Line > 0 {
			out = append(out, fmt.Sprintf("%s:%d-%d %s", c.Path, c.First, c.Line, c.Body))
		}
	}
	return out
}

// TestSuggestionsAreWrittenOnTheirLinesKeptAndTakenBack runs three times, as three pushes do.
func TestSuggestionsAreWrittenOnTheirLinesKeptAndTakenBack(t *testing.T) {
	each(t, func(t *testing.T, s *commenttest.Server, v Service, author string, _ *[]time.Duration) {
		one := Suggestion{commenttest.Touched, 7, 7, "    self.b = nn.Linear(16, 3)", "A linear layer: 16 in place of 12"}
		two := Suggestion{commenttest.Touched, 10, 12, "x\ny", "Three lines become two"}
		gone := Suggestion{"other.py", 3, 3, "z", "A file that the pull request does not touch"}
		beyond := Suggestion{commenttest.Touched, 400, 400, "z", "A line that is not in the diff"}
		s.Add(commenttest.Comment{Body: suggestionTag(tag) + "\nmine", Author: "somebody", Path: commenttest.Touched, Line: 1})
		try := func(all []Suggestion, want Suggested) {
			t.Helper()
			if got, err := Suggest(t.Context(), v, tag, all); err != nil || got != want {
				t.Errorf("%+v %v, want %+v", got, err, want)
			}
		}
		try([]Suggestion{one, two, gone, beyond}, Suggested{New: 2, Elsewhere: 2})
		post1(t, v, "the comment", true, Created)
		try([]Suggestion{one, two, gone}, Suggested{Kept: 2, Elsewhere: 1})
		got := suggested(s)
		if len(got) != 3 {
			t.Fatalf("%q", got)
		}
		first, block, range2 := 7, "```suggestion\n", "10-12"
		if author != "github-actions[bot]" {
			block, range2 = "```suggestion:-0+0\n", "12-12"
		}
		if want := fmt.Sprintf("%s:%d-%d %s\nA linear layer: 16 in place of 12\n\n%s    self.b = nn.Linear(16, 3)\n```\n", commenttest.Touched, first, 7, suggestionTag(tag), block); got[1] != want {
			t.Errorf("%q, want %q", got[1], want)
		}
		if !strings.HasPrefix(got[2], commenttest.Touched+":"+range2+" ") || author != "github-actions[bot]" && !strings.Contains(got[2], "```suggestion:-2+0\nx\ny\n```") {
			t.Errorf("%q", got[2])
		}
		try([]Suggestion{two}, Suggested{Kept: 1})
		try(nil, Suggested{})
		if got := suggested(s); len(got) != 1 || !strings.Contains(got[0], "mine") {
			t.Errorf("%q: of others nothing is touched, and of ours nothing is left", got)
		}
		if got := bodies(s); len(got) != 2 {
			t.Errorf("the comment is gone: %q", got)
		}
	})
}

func TestASuggestionCannotEndItsBlock(t *testing.T) {
	s := Suggestion{"a.py", 1, 1, "x = \"```\"  # ````", "why"}
	if text := s.Text(tag, "suggestion"); !strings.Contains(text, "\n`````suggestion\nx = ") || !strings.HasSuffix(text, "\n`````\n") {
		t.Errorf("%s", text)
	}
	if text := (Suggestion{New: "", Why: "a line goes"}).Text(tag, "suggestion"); !strings.Contains(text, "```suggestion\n```\n") {
		t.Errorf("%s", text)
	}
}

func TestOverlappingSuggestionsAreMadeOnce(t *testing.T) {
	a, b, c := Suggestion{Path: "a", First: 1, Last: 3}, Suggestion{Path: "a", First: 3, Last: 4}, Suggestion{Path: "b", First: 3, Last: 4}
	r := &Record{Models: []Model{{Findings: []Finding{{Suggestions: []Suggestion{a}}, {Suggestions: []Suggestion{b, c}}}}}}
	if got := r.Suggestions(); len(got) != 2 || got[0] != a || got[1] != c {
		t.Errorf("%+v", got)
	}
}
