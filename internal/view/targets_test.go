package view

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/models"
)

func TestTargetsAreThoseThatRun(t *testing.T) {
	g, err := graph.Parse("x: input shape=[8]\na: linear inFeatures=8 outFeatures=4\nb: relu\nc: add\nd: linear inFeatures=8 outFeatures=2\ne: linear inFeatures=4 outFeatures=2\n" +
		"f: add\ny: output\nz: output\nx -> a -> b\nb -> c\nx -> f")
	if err != nil {
		t.Fatal(err)
	}
	body := func(from string) string { return `{"from":"` + from + `","model":` + string(written(g)) + `}` }
	got := ask[targetList](t, "view/targets", body("a"))
	if want := []string{"c", "e", "y", "z"}; !slices.Equal(got.Legal, want) {
		t.Errorf("from a: %q, not %q", got.Legal, want)
	}
	for id, want := range map[string]string{"x": "cycle", "a": "cycle", "b": "takes 1 input", "d": "4 features", "f": "8"} {
		if !strings.Contains(got.Why[id], want) {
			t.Errorf("%s: %q, want %q in it", id, got.Why[id], want)
		}
	}
	if status, answer := Action("view/targets", body("nobody")); status != 422 || !strings.Contains(answer, `"path":"from"`) {
		t.Errorf("from nobody: %d %s", status, answer)
	}
	if got = ask[targetList](t, "view/targets", body("y")); len(got.Legal) > 0 {
		t.Errorf("from an output: %q", got.Legal)
	}
}

func TestNotationOfEveryModelIsReadBack(t *testing.T) {
	for _, id := range models.List() {
		model := modelOf(t, id)
		text := ask[noted](t, "view/notation", `{"model":`+string(model)+`}`).Text
		quoted, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		back := ask[opened](t, "view/notation", `{"text":`+string(quoted)+`}`).Model
		if again := ask[noted](t, "view/notation", `{"model":`+string(back)+`}`).Text; again != text {
			t.Errorf("%s is another text when it is read and written again", id)
		}
	}
	if status, answer := Action("view/notation", `{"text":"x: input shape=["}`); status != 400 || !strings.Contains(answer, `"code":"`) {
		t.Errorf("a broken text: %d %s", status, answer)
	}
}
