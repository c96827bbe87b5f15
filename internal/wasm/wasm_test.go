package wasm

import (
	"strings"
	"testing"
)

func TestActionAnswers(t *testing.T) {
	for _, c := range []struct {
		name, body string
		status     int
		answer     string
	}{
		{"lint", `{"model":{"components":[]}}`, 200, `"rule":"empty-graph"`},
		{"lint", `{`, 400, `"code":"invalid-json"`},
		{"plan", `{"model":{"components":[]},"attention":"fast"}`, 422, `"path":"attention"`},
		{"train", `{}`, 404, `"code":"not-found"`},
	} {
		status, answer := Action(c.name, c.body)
		if status != c.status || !strings.Contains(answer, c.answer) {
			t.Errorf("%s %s: %d %s, want %d with %s", c.name, c.body, status, answer, c.status, c.answer)
		}
	}
}
