//go:build unix

package mcp

import (
	"context"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/modelverifier/verifier/internal/adversary"
	"github.com/modelverifier/verifier/internal/httpapi/wire"
)

// TestSmallRequestsCauseSmallWork holds the promise of docs/security.md for agents: each costly request is sent to the tool of its
// action, and those with one model to the tools that describe, export, import, change it and hold it against a split.
func TestSmallRequestsCauseSmallWork(t *testing.T) {
	s, err := New(Config{Root: t.TempDir(), Write: true, Log: io.Discard})
	if err != nil {
		t.Fatal(err)
	}
	call := func(name, arguments string) int {
		i := slices.IndexFunc(tools, func(t *tool) bool { return t.name == name })
		result, err := s.handler(tools[i])(context.Background(), &sdk.CallToolRequest{Params: &sdk.CallToolParamsRaw{Name: name, Arguments: []byte(arguments)}})
		if err != nil {
			t.Fatal(err)
		}
		size := 0
		for _, c := range result.Content {
			if text, ok := c.(*sdk.TextContent); ok {
				size = max(size, len(text.Text))
			}
		}
		return size
	}
	var changes []string
	for i := range 1000 { // as many as one call may have
		changes = append(changes, fmt.Sprintf(`{"op":"add","component":"added%d","type":"relu"}`, i))
	}
	// What a tool takes beside the model.
	beside := map[string]string{
		"describe": "", "import": "", "export": `"to":"torch","force":true,`, "fit": `"layout":{"tp":2,"pp":2},`,
		"edit": `"undoIfWorse":true,"changes":[` + strings.Join(changes, ",") + `],`,
	}
	set := adversary.Requests(0)
	set.Fixed = calls(set.Fixed, beside)
	set.Promise(t, wire.MaxBytes, func(r adversary.Request) int { return call(r.Action, r.Body) })
}

// calls are the costly requests as tools are called: each by the tool of its action, and those with one model by two or three of the others,
// which read it alike; one that costs too much comes to each of its length.
func calls(requests iter.Seq[adversary.Request], beside map[string]string) iter.Seq[adversary.Request] {
	others := slices.Sorted(maps.Keys(beside))
	return func(yield func(adversary.Request) bool) {
		for r := range requests {
			if !yield(r) {
				return
			}
			if r.Action != "lint" && !strings.HasPrefix(r.Body, `{"model":`) {
				continue
			}
			for k := len(r.Body) % 2; k < len(others); k += 2 {
				if !yield(adversary.Request{Name: r.Name, Action: others[k], Body: "{" + beside[others[k]] + r.Body[1:]}) {
					return
				}
			}
		}
	}
}
