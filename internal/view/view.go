// Package view answers what the app asks beside the four actions: how a graph is drawn, which types there are, what an edit makes of a
// model. One file is one call; JSON goes in and comes out, and errors have the form that those of actions have.
//
// It decides no verdict, reads no disk and asks no network: the app shows what the actions say, and this is how it is shown.
package view

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/wasm"
)

// prefix begins the names of the calls, which no action has.
const prefix = "view/"

// call is one question that the app asks. Name is without the prefix.
type call struct {
	Name   string
	Answer func(body []byte, limits graph.Limits) (result any, err error)
}

// calls are all there are: each file defines its own.
var calls []call

func define(c call) struct{} {
	calls = append(calls, c)
	return struct{}{}
}

// Names are the calls, sorted.
func Names() []string {
	out := make([]string, len(calls))
	for i, c := range calls {
		out[i] = prefix + c.Name
	}
	slices.Sort(out)
	return out
}

// Action answers an action as package wasm does, and the calls of the app beside them. A fault of our own must not end the page's only
// instance, so it becomes an answer.
func Action(name, body string) (status int, answer string) {
	own, ok := strings.CutPrefix(name, prefix)
	if !ok {
		return wasm.Action(name, body)
	}
	defer func() {
		if recover() != nil {
			status, answer = 500, `{"error":"a fault of our own","code":"internal"}`
		}
	}()
	for _, c := range calls {
		if c.Name != own {
			continue
		}
		result, err := c.Answer([]byte(body), graph.ServiceLimits)
		if err != nil {
			return action.Status(err), encode(action.Explain(err))
		}
		return 200, encode(result)
	}
	return 404, encode(action.ErrorBody{Error: "there is no call of this name", Code: "not-found", Allowed: Names()})
}

// encode writes a body as every surface does: compact, and without escapes that only a web page would need.
func encode(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic("view: " + err.Error()) // cannot happen: no result has a value that cannot be written
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// written is a graph as it goes over the wire.
func written(g *graph.Graph) json.RawMessage { return g.AppendJSON(nil) }
