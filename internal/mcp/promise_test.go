//go:build unix

package mcp

import (
	"context"
	"fmt"
	"io"
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
	for k, name := range []string{"", "describe", "export", "import", "fit", "edit"} {
		adversary.Promise(t, 0, wire.MaxBytes, func(r adversary.Request) int {
			switch {
			case name == "":
				return call(r.Action, r.Body)
			case r.Action != "lint" && !strings.HasPrefix(r.Body, `{"model":`):
				return 0
			case len(r.Body)%2 != k%2: // every model goes to two or three of the five, which read it alike; one that costs too much goes there again
				return 0
			}
			return call(name, "{"+beside[name]+r.Body[1:])
		})
	}
}
