package patch_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/patch"
)

func TestEditsAsWholeLines(t *testing.T) {
	const text = "one\ntwo\nthree\nfour\nfive"
	lines := func(first, last int, was, now string) patch.Lines { return patch.Lines{"a.py", first, last, was, now} }
	for name, c := range map[string]struct {
		text  string
		edits []patch.Edit
		want  []patch.Lines
	}{
		"part of a line":    {text, []patch.Edit{{"a.py", 5, 6, "W"}}, []patch.Lines{lines(2, 2, "two", "tWo")}},
		"two of one line":   {text, []patch.Edit{{"a.py", 6, 7, "O"}, {"a.py", 4, 5, "T"}}, []patch.Lines{lines(2, 2, "two", "TwO")}},
		"neighbours":        {text, []patch.Edit{{"a.py", 4, 7, "2"}, {"a.py", 8, 13, "3"}}, []patch.Lines{lines(2, 3, "two\nthree", "2\n3")}},
		"apart":             {text, []patch.Edit{{"a.py", 0, 3, "1"}, {"a.py", 8, 13, "3"}}, []patch.Lines{lines(1, 1, "one", "1"), lines(3, 3, "three", "3")}},
		"a line is added":   {text, []patch.Edit{{"a.py", 8, 8, "2.5\n"}}, []patch.Lines{lines(3, 3, "three", "2.5\nthree")}},
		"a line goes":       {text, []patch.Edit{{"a.py", 4, 8, ""}}, []patch.Lines{lines(2, 2, "two", "")}},
		"over two lines":    {text, []patch.Edit{{"a.py", 1, 6, "X"}}, []patch.Lines{lines(1, 2, "one\ntwo", "oXo")}},
		"the last, unended": {text, []patch.Edit{{"a.py", 19, 23, "5"}}, []patch.Lines{lines(5, 5, "five", "5")}},
		"CRLF":              {"one\r\ntwo\r\n", []patch.Edit{{"a.py", 5, 8, "2\r\n3"}}, []patch.Lines{lines(2, 2, "two", "2\n3")}},
		"another file":      {text, []patch.Edit{{"b.py", 0, 1, ""}}, nil},
	} {
		got, err := patch.Replaced(patch.File{Path: "a.py", Text: c.text}, c.edits)
		if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v %v, want %+v", name, got, err, c.want)
		}
	}
	// Put in by hand, they come to what the edits come to.
	edits := []patch.Edit{{"a.py", 5, 6, "W"}, {"a.py", 14, 14, "3.5\n"}, {"a.py", 19, 23, "5"}}
	after, err := patch.Apply([]patch.File{{Path: "a.py", Text: text}}, edits)
	if err != nil {
		t.Fatal(err)
	}
	got, err := patch.Replaced(patch.File{Path: "a.py", Text: text}, edits)
	if err != nil {
		t.Fatal(err)
	}
	now := strings.Split(text, "\n")
	for i := len(got) - 1; i >= 0; i-- {
		now = append(now[:got[i].First-1:got[i].First-1], append([]string{got[i].New}, now[got[i].Last:]...)...)
	}
	if strings.Join(now, "\n") != after[0].Text {
		t.Errorf("%q, want %q", strings.Join(now, "\n"), after[0].Text)
	}
}
