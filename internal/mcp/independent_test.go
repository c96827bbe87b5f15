package mcp_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/nodetest"
)

// TestAnIndependentClient drives the server with the TypeScript SDK, which shares nothing with the Go one: it initialises, lists, calls
// every tool under the client's own check of the output schemas, gets errors, cancels, reads resources, and is told of a change.
func TestAnIndependentClient(t *testing.T) {
	node := nodetest.Node(t, "mcp/@modelcontextprotocol/sdk")
	dir := folder(t)
	server := program(t, dir, "--write")
	cmd := exec.Command(node, append([]string{"../../tools/mcp/client.mjs", dir}, server.Args...)...)
	cmd.Env, cmd.Stderr = server.Env, os.Stderr
	text, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	var got struct {
		Server struct{ Name string }
		Listed []string
		Calls  map[string]struct {
			Failed bool
			Text   string
			Fields int
		}
		Errors map[string]struct {
			Failed bool
			Code   string
		}
		UnknownTool any
		Cancelled   bool
		Afterwards  string
		Resources   int
		Templates   int
		Picture     string
		Prompts     []string
		Prompt      int
		Updated     string
	}
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	for _, name := range got.Listed {
		if c, ok := got.Calls[name]; !ok || c.Failed || c.Fields == 0 || c.Text == "" {
			t.Errorf("%s: %+v", name, c)
		}
	}
	for name, code := range map[string]string{"check": "outside-root", "edit": "unknown-value", "describe": "wrong-type"} {
		if e := got.Errors[name]; !e.Failed || e.Code != code {
			t.Errorf("%s: %+v, want %s", name, e, code)
		}
	}
	if len(got.Listed) != 11 || got.Server.Name != "verifier" || got.UnknownTool == "answered" || !got.Cancelled || got.Afterwards != "ask" || got.Resources != 3 || got.Templates != 5 ||
		got.Picture != "<svg" || !slices.Equal(got.Prompts, strings.Fields("explain review shrink")) || got.Prompt != 1 || got.Updated != "verifier://graph/right.json" {
		t.Errorf("%s", text)
	}
}
