package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/load"
)

// arguments are those of one call.
type arguments struct {
	server  *Server
	raw     json.RawMessage
	members map[string]json.RawMessage // nil until asked for
	digest  string                     // of the file that model named
	texts   []action.TextCall          // of the model, or of each candidate, once the request is made
}

// member returns a member as it was written, nil where it was left out or is null. What is no object has none.
func (a *arguments) member(name string) json.RawMessage {
	if a.members == nil {
		if a.members = graph.SplitObject(a.raw); a.members == nil {
			a.members = map[string]json.RawMessage{}
		}
	}
	if v := a.members[name]; string(v) != "null" {
		return v
	}
	return nil
}

// fields reads the arguments under the strictness of the service.
func (a *arguments) fields() (*action.Fields, error) {
	body := a.raw
	if len(bytes.TrimSpace(body)) == 0 {
		body = json.RawMessage("{}")
	}
	f := action.Read(body, limits, "-") // models are read apart from the rest
	return f, f.Err()
}

// isString returns a member that is a string.
func isString(raw json.RawMessage) (string, bool) {
	if len(raw) == 0 || raw[0] != '"' {
		return "", false
	}
	var s string
	return s, json.Unmarshal(raw, &s) == nil
}

// model reads the model that a call is about.
func (a *arguments) model(ctx context.Context) (*model, error) {
	raw := a.member(action.Model)
	if raw == nil && a.server.file == "" {
		return nil, refuse(graph.CodeMissing, action.Model, "model: is missing", giveModel)
	}
	m, err := a.server.modelOf(ctx, raw, action.Model)
	if err == nil {
		err = shapes(m.graph, action.Model)
	}
	if err != nil {
		return nil, err
	}
	a.digest = m.digest
	return m, nil
}

// shapes refuses what no model can say, as the service does. A nil *graph.Error must not become an error.
func shapes(g *graph.Graph, path string) error {
	if err := action.CheckModel(g, path); err != nil {
		return err
	}
	return nil
}

// modelOf reads a reference, an inline graph, or, where there is neither, the file that the server was given.
func (s *Server) modelOf(ctx context.Context, raw json.RawMessage, path string) (*model, error) {
	if raw == nil {
		return s.open(ctx, s.file)
	}
	if ref, ok := isString(raw); ok {
		return s.open(ctx, ref)
	}
	if src, ok := sourceIn(raw); ok {
		return s.readSource(ctx, src, load.Options{})
	}
	g, err := graph.Decode(raw, path, limits)
	if err != nil {
		return nil, err
	}
	g, _ = action.Translate(g)
	return &model{graph: g, inline: true}, nil
}

// request is the body that the service would get: the arguments as they are, with the graphs in place of references to them. What is
// no reference is left for the action to judge.
func (a *arguments) request(ctx context.Context) ([]byte, error) {
	replaced := map[string]json.RawMessage{}
	for _, name := range []string{action.Model, action.Base} {
		raw := a.member(name)
		_, isRef := isString(raw)
		_, isSource := sourceIn(raw)
		if !isRef && !isSource && (raw != nil || name != action.Model || a.server.file == "" || a.member(action.Candidates) != nil) {
			continue
		}
		m, err := a.opened(ctx, raw, name)
		if err != nil {
			return nil, err
		}
		if name == action.Model {
			a.digest, a.texts = m.digest, []action.TextCall{m.textCall("textOnly")}
		}
		replaced[name] = m.graph.AppendJSON(nil)
	}
	if list, err := a.candidates(ctx); err != nil {
		return nil, err
	} else if list != nil {
		replaced[action.Candidates] = list
	}
	if len(replaced) == 0 {
		if len(bytes.TrimSpace(a.raw)) == 0 {
			return []byte("{}"), nil
		}
		return a.raw, nil
	}
	maps.Copy(a.members, replaced)
	return object(a.members), nil
}

// opened reads the model of a request: a PyTorch source with what it was told about its inputs and arguments, a config.json for a call with
// text alone.
func (a *arguments) opened(ctx context.Context, raw json.RawMessage, name string) (*model, error) {
	ref, isRef := isString(raw)
	if raw == nil {
		ref, isRef = a.server.file, true
	}
	src, isSource := sourceIn(raw)
	told := a.member("textOnly") != nil || (isSource || strings.Contains(ref, ".py")) && (a.member("inputs") != nil || a.member("args") != nil)
	if !isRef && !isSource || !told {
		return a.server.modelOf(ctx, raw, name)
	}
	f, err := a.fields()
	if err != nil {
		return nil, err
	}
	opt, err := a.sourceOptions(f)
	if err != nil {
		return nil, err
	}
	if isSource {
		return a.server.readSource(ctx, src, opt)
	}
	return a.server.openWith(ctx, ref, opt)
}

// candidates replaces references in the list of candidates, and returns nil where there is none.
func (a *arguments) candidates(ctx context.Context) (json.RawMessage, error) {
	var list []map[string]json.RawMessage
	raw := a.member(action.Candidates)
	if raw == nil || json.Unmarshal(raw, &list) != nil {
		return nil, nil
	}
	if len(list) > limits.Candidates {
		return nil, nil // refused by the action, before any file is read
	}
	found := false
	items, texts := make([][]byte, len(list)), make([]action.TextCall, len(list))
	for i, c := range list {
		ref, isRef := isString(c[action.Model])
		if _, isSource := sourceIn(c[action.Model]); isRef || isSource {
			m, err := a.server.modelOf(ctx, c[action.Model], action.Model)
			if err != nil {
				return nil, err
			}
			c[action.Model], found = m.graph.AppendJSON(nil), true
			texts[i] = m.textCall(elsewhere)
			if c["id"] == nil && isRef {
				c["id"], _ = json.Marshal(ref)
			}
		}
		items[i] = object(c)
	}
	if !found {
		return nil, nil
	}
	a.texts = texts
	return slices.Concat([]byte("["), bytes.Join(items, []byte(",")), []byte("]")), nil
}

// object writes members in the order of their names.
func object(members map[string]json.RawMessage) []byte {
	b := []byte{'{'}
	for i, name := range slices.Sorted(maps.Keys(members)) {
		if i > 0 {
			b = append(b, ',')
		}
		quoted, _ := json.Marshal(name) // a string can always be written
		b = append(append(append(b, quoted...), ':'), members[name]...)
	}
	return append(b, '}')
}

// meta is what goes beside the body of the service: which version of the file was read.
func (a *arguments) meta() map[string]any {
	if a.digest == "" {
		return nil
	}
	return map[string]any{"digest": a.digest}
}

// said is the digest as a line of text, for clients that show nothing else.
func (a *arguments) said() string {
	if a.digest == "" {
		return ""
	}
	return "\nfile digest " + a.digest
}

// bullet writes an item of a list.
func bullet(b *strings.Builder, text string) {
	b.WriteString("- " + strings.ReplaceAll(text, "\n", "\n  ") + "\n")
}
