package edit

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/quantity"
)

// MaxOps bounds the changes of one request.
const MaxOps = 1000

// wireOp is a change as it is sent. The members of a finding's edit are a change, too: component, param and value.
type wireOp struct {
	Op        string          `json:"op"`
	Component string          `json:"component"`
	Type      string          `json:"type"`
	Name      string          `json:"name"`
	Params    json.RawMessage `json:"params"`
	Param     string          `json:"param"`
	Value     json.RawMessage `json:"value"`
	From      words           `json:"from"`
	To        words           `json:"to"`
	At        *int64          `json:"at"`
	Join      bool            `json:"join"`

	Components words `json:"components"`
}

// words is one string or a list of them.
type words []string

// UnmarshalJSON reads either.
func (w *words) UnmarshalJSON(data []byte) error {
	var one string
	if err := json.Unmarshal(data, &one); err == nil {
		if one != "" {
			*w = words{one}
		}
		return nil
	}
	return json.Unmarshal(data, (*[]string)(w))
}

// Decode reads a list of changes from text that has been found to be strict JSON. path is where it stands in the request.
func Decode(text, path string) ([]Op, error) {
	var list []json.RawMessage
	if one := strings.TrimSpace(text); strings.HasPrefix(one, "{") { // a single change
		text = "[" + one + "]"
	}
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		return nil, action.Errorf(graph.CodeType, path, "must be a list of changes, each an object with op, one of %s", quantity.Own(strings.Join(Kinds, ", ")))
	}
	list = flat(list)
	if len(list) == 0 {
		return nil, action.Errorf(graph.CodeMissing, path, "must have at least one change")
	}
	if len(list) > MaxOps {
		return nil, &graph.Error{Code: action.CodeRange, Path: path, Message: "has too many changes", Limit: MaxOps}
	}
	ops := make([]Op, len(list))
	for i, raw := range list {
		op, err := decodeOne(raw, action.Item(path, i))
		if err != nil {
			return nil, err
		}
		ops[i] = *op
	}
	return ops, nil
}

// flat puts the edits of a finding, which are a list, in the place of that list: the edits of several findings can be sent as they are.
func flat(list []json.RawMessage) []json.RawMessage {
	out := make([]json.RawMessage, 0, len(list))
	for _, item := range list {
		var inner []json.RawMessage
		if bytes.HasPrefix(bytes.TrimSpace(item), []byte("[")) && json.Unmarshal(item, &inner) == nil {
			out = append(out, inner...)
			continue
		}
		out = append(out, item)
	}
	return out
}

func decodeOne(raw json.RawMessage, path string) (*Op, error) {
	var w wireOp
	if err := json.Unmarshal(raw, &w); err != nil {
		return nil, action.Errorf(graph.CodeType, path, "cannot be read as a change: op, component, type, name, from, to, components are strings or lists of them, params an object, at a number, join a boolean")
	}
	op := &Op{Path: path, Kind: w.Op, Component: w.Component, Type: w.Type, Name: w.Name, From: w.From, To: w.To, At: w.At, Join: w.Join, Components: w.Components}
	if op.Kind == "" && w.Param != "" {
		op.Kind = Change // an edit of a finding, as it is
	}
	if len(w.Params) > 0 && string(w.Params) != "null" {
		params, err := params(w.Params, path+".params")
		if err != nil {
			return nil, err
		}
		op.Params = params
	}
	if w.Param != "" {
		v, err := (&graph.BodyMember{Name: "value", Raw: string(w.Value)}).Value(path + ".value")
		if err != nil {
			return nil, err
		}
		op.Params = append(op.Params, graph.Param{Name: w.Param, Value: v})
	}
	return op, nil
}

// params reads an object in its order. A null is kept: it takes a parameter away.
func params(raw json.RawMessage, path string) ([]graph.Param, error) {
	member := &graph.BodyMember{Name: "params", Raw: string(raw)}
	list, err := member.Fields(path)
	if err != nil {
		return nil, err
	}
	var all map[string]json.RawMessage
	if json.Unmarshal(raw, &all) != nil {
		return nil, action.Errorf(graph.CodeType, path, "must be an object")
	}
	for _, name := range sorted(all) {
		if string(all[name]) == "null" {
			list = append(list, graph.Param{Name: name})
		}
	}
	return list, nil
}
