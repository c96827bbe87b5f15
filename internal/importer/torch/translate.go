package torch

import (
	"encoding/json"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
)

// functionTypes are recorded functions that are a component without parameters.
var functionTypes = map[string]string{
	"add": "add", "__add__": "add", "__radd__": "add", "iadd": "add", "add_": "add", "mul": "multiply", "sub": "subtract", "relu": "relu", "relu_": "relu",
	"gelu": "gelu", "sigmoid": "sigmoid", "tanh": "tanh", "silu": "silu", "exp": "exp", "matmul": "matmul", "bmm": "matmul",
}

// translate finds the component of a recorded step and its parameters.
func (x *tracer) translate(s *step, inputs []int) (string, []graph.Param) {
	if s.Kind == "function" {
		if len(s.Owned) > 0 {
			return x.owning(s)
		}
		return functionTypes[s.Target], nil
	}
	switch s.Target {
	case "MultiheadAttention":
		return x.attention(s, inputs)
	case "TransformerEncoderLayer", "TransformerDecoderLayer":
		typ := map[bool]string{true: "transformerBlock", false: "transformerDecoderBlock"}[s.Target == "TransformerEncoderLayer"]
		return typ, x.attributes(s, typ, map[string]string{"d_model": "embedDim", "nhead": "numHeads", "dim_feedforward": "ffDim"})
	case "LSTM", "GRU", "RNN":
		typ := map[string]string{"LSTM": "lstm", "GRU": "gru", "RNN": "rnn"}[s.Target]
		return typ, x.attributes(s, typ, nil)
	}
	for i := range layers {
		if layers[i].class == s.Target {
			return layers[i].typ, x.attributes(s, layers[i].typ, nil)
		}
	}
	return "", nil
}

// attributes are the parameters of a component from the attributes of a module.
func (x *tracer) attributes(s *step, typ string, names map[string]string) []graph.Param {
	t := catalog.Lookup(typ)
	var out []graph.Param
	for _, k := range sortedKeys(s.Attributes) {
		name := camel(k)
		if n, ok := names[k]; ok {
			name = n
		}
		p := t.Param(name)
		if p == nil {
			continue
		}
		v, ok := jsonValue(s.Attributes[k])
		if ok && v.Kind() != graph.Null && !v.Equal(p.DefaultValue()) {
			out = append(out, graph.Param{Name: name, Value: v})
		}
	}
	return out
}

func jsonValue(raw json.RawMessage) (graph.Value, bool) {
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return graph.Value{}, false
	}
	return fromJSON(v), true
}

func fromJSON(v any) graph.Value {
	switch x := v.(type) {
	case bool:
		return graph.BoolValue(x)
	case float64:
		if n := int64(x); float64(n) == x {
			return graph.IntValue(n)
		}
		return graph.FloatValue(x)
	case string:
		return graph.StringValue(x)
	case []any:
		out := make([]graph.Value, len(x))
		for i := range x {
			out[i] = fromJSON(x[i])
		}
		return graph.ListValue(out...)
	}
	return graph.Value{}
}

// attention is self-attention where query, key and value are one tensor, and cross-attention where key and value are.
func (x *tracer) attention(s *step, inputs []int) (string, []graph.Param) {
	typ := "multiHeadAttention"
	if len(inputs) >= 3 && !(inputs[0] == inputs[1] && inputs[1] == inputs[2]) {
		return "", nil
	}
	params := x.attributes(s, typ, nil)
	for i := range params {
		if params[i].Name == "bias" && params[i].Value.Bool() {
			return typ, append(params[:i], params[i+1:]...)
		}
	}
	return typ, params
}

// owning is a function that was given weights of the model as they are.
func (x *tracer) owning(s *step) (string, []graph.Param) {
	sizes := x.sizes(s)
	if len(sizes) == 0 {
		return "", nil
	}
	w := sizes[0]
	switch s.Target {
	case "linear":
		return "linear", []graph.Param{param("inFeatures", w[1]), param("outFeatures", w[0]), param("bias", len(sizes) > 1)}
	case "layer_norm":
		return "layerNorm", []graph.Param{param("normalizedShape", w), param("bias", len(sizes) > 1)}
	case "embedding":
		return "embedding", []graph.Param{param("numEmbeddings", w[0]), param("embeddingDim", w[1])}
	}
	return "", nil
}
