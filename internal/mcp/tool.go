package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/httpapi/wire"
)

// tool is one tool: what a client is told of it, and what it does.
type tool struct {
	name, title string
	doc         string // for the agent: when to call it and what comes back
	input       string // JSON schema of the properties
	required    []string
	output      []string // the top-level members of the answer
	writes      bool
	remote      bool // calls the hosted service: it is there only where a server and a key are
	bench       bool // belongs to the benchmark: it is there only where that was asked for
	state       bool // changes what the server holds, and nothing else: a second call is another
	run         func(s *Server, ctx context.Context, args *arguments) (*answer, error)
}

// answer is what a tool found: the structured body, and the same in a few lines.
type answer struct {
	body any // or json.RawMessage
	text string
	meta map[string]any
}

// tools are all there are; each file adds its own.
var tools []*tool

func define(t tool) bool {
	tools = append(tools, &t)
	return true
}

// A listing is read whole before the first call, so that what several tools take is described by check, which is called first; the others
// have its type and name check in their own words.
const (
	modelProperty = `"model":{"type":["string","object"],"description":"path in the root, id of a bundled model (resnet18), graph ` +
		`{components:[{id,type,params}],connections:[{from,to}]}, or PyTorch code {source,class}"}`
	modelLikeCheck = `"model":{"type":["string","object"],"description":"as in check"}`
)

// options is a member that is an object of options. Its description names every key, with the words that it takes behind some: a key costs a
// third of what it would in a schema of its own. One that is mistyped is refused, with those that there are.
func options(name, kinds string, keys ...string) string {
	return fmt.Sprintf(`%q:{"type":%s,"description":%q}`, name, kinds, strings.Join(keys, ", "))
}

// declaration is the tool as clients list it.
func (t *tool) declaration() *sdk.Tool {
	required := ""
	if len(t.required) > 0 {
		required = `,"required":["` + strings.Join(t.required, `","`) + `"]`
	}
	a := &sdk.ToolAnnotations{ReadOnlyHint: !t.writes && !t.state, OpenWorldHint: &t.remote} // what only reads needs no word on idempotence
	if t.writes {
		destructive := true
		a.DestructiveHint = &destructive
	}
	return &sdk.Tool{
		Name: t.name, Title: t.title, Description: t.doc, Annotations: a,
		InputSchema:  json.RawMessage(`{"type":"object","properties":{` + t.input + `}` + required + `}`),
		OutputSchema: json.RawMessage(`{"type":"object","properties":{"` + strings.Join(t.output, `":{},"`) + `":{}}}`),
	}
}

// handler runs a tool for the SDK: one at a time for each processor, and never past a cancellation.
func (s *Server) handler(t *tool) sdk.ToolHandler {
	return func(ctx context.Context, req *sdk.CallToolRequest) (result *sdk.CallToolResult, err error) {
		if !t.remote { // who waits for another machine keeps no processor busy
			select {
			case s.slots <- struct{}{}:
				defer func() { <-s.slots }()
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
		defer func() {
			if p := recover(); p != nil {
				s.log.Error("a tool failed", "tool", t.name, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
				result, err = failure(errors.New("panic")), nil
			}
		}()
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		a, err := t.run(s, ctx, &arguments{server: s, raw: req.Params.Arguments})
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			s.logFault(t.name, err)
			return failure(err), nil
		}
		if result, err = a.result(); err != nil {
			s.logFault(t.name, err)
			return failure(err), nil
		}
		return result, nil
	}
}

func (a *answer) result() (*sdk.CallToolResult, error) {
	body, err := encode(a.body)
	if err != nil {
		return nil, err
	}
	return &sdk.CallToolResult{Meta: a.meta, Content: []sdk.Content{&sdk.TextContent{Text: a.text}}, StructuredContent: body}, nil
}

// encode writes a body as every surface does.
func encode(v any) (json.RawMessage, error) {
	if raw, ok := v.(json.RawMessage); ok {
		return raw, nil
	}
	b, err := wire.Append(nil, v)
	switch {
	case errors.Is(err, wire.ErrTooLarge):
		return nil, action.AnswerTooLarge(wire.MaxBytes)
	case err != nil:
		return nil, fmt.Errorf("mcp: encode: %w", err)
	}
	return b, nil
}
