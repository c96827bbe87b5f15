package build

import (
	_ "embed"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/importer/hf/config"
	"github.com/modelverifier/verifier/internal/transformers"
)

// scoreDropouts are the keys of how many of the weights of attention are dropped in training.
var scoreDropouts = []string{"attention_probs_dropout_prob", "attention_dropout", "attn_pdrop"}

// modulesFile says how transformers' modules are written; truth/hf_modules.py reads it from their source.
//
//go:embed modules.json
var modulesFile []byte

// modules is what of the way in which transformers wrote its modules decides what autograd keeps of them.
var modules = func() (m struct {
	// model types whose eager attention takes the softmax in the width of the model
	Softmax []string          `json:"softmax"`
	Eager   []string          `json:"eager"`  // model types that have no other attention
	Norm    map[string]string `json:"norm"`   // model types whose RMS norms are not written as Llama's
	Loss    []string          `json:"loss"`   // classes whose loss is taken of the logits as they are
	Biased  []string          `json:"biased"` // classes that add a buffer to their logits
	// model types whose queries and keys are joined of features that are rotated and others
	Joined []string          `json:"joined"`
	Router []string          `json:"router"` // model types whose router of experts multiplies 32-bit copies
	Gate   map[string]string `json:"gate"`   // model types whose experts have a gate of their own
	// model types whose eager attention multiplies queries and keys in 32 bits
	Exact []string `json:"exact"`
}) {
	if err := json.Unmarshal(modulesFile, &m); err != nil {
		panic("hf: modules.json: " + err.Error())
	}
	return m
}()

// scalings and gates are what the file says of norms and of the gates of experts.
var (
	scalings = map[string]transformers.Scaling{"wide": transformers.CastBehindScale, "late": transformers.ScaleOfInput}
	gates    = map[string]transformers.Gate{"steps": transformers.Swish, "clamped": transformers.Clamped}
)

// moduleOf is the module that a component is by the model's type, its class and its config. Others are given by the caller that adds
// the component.
func moduleOf(b *Build, typ string) catalog.Module {
	of := func(types []string) bool { return slices.Contains(types, b.Type()) }
	switch m := transformers.Usual(typ).(type) {
	case transformers.RMSNorm:
		return NormOf(b)
	case transformers.Experts:
		m.WideRouter, m.Gate = of(modules.Router), gates[modules.Gate[b.Type()]]
		return m
	case transformers.Attention:
		m.Plain, m.Eager, m.Exact = of(modules.Softmax), of(modules.Eager), of(modules.Exact)
		return m
	case transformers.Logits:
		if typ == "lmHead" {
			m.Biased, m.Wide = slices.Contains(modules.Biased, b.state.class), b.Positive("output_logit_soft_cap")
		}
		return m
	case transformers.Model:
		m.PlainLoss = slices.Contains(modules.Loss, b.state.class)
		return m
	default:
		return m
	}
}

// turnOn sets the parameters of a component that say what the config turns on inside of it.
func (b *Build) turnOn(n Node) {
	if b.Config == nil {
		return
	}
	typ := b.state.graph.Components[n].Type
	switch transformers.Usual(typ).(type) {
	case transformers.Attention:
		b.setPositive(n, "dropout", scoreDropouts...)
		b.setPositive(n, "softcap", "attn_logit_softcapping")
		b.setPositive(n, "clip", "clip_qkv")
	case transformers.Logits:
		if typ == "lmHead" {
			b.setPositive(n, "softcap", "final_logit_softcapping", "logits_soft_cap", "output_logit_soft_cap")
		}
	}
}

// setPositive sets a parameter that the component's type has to the first number above 0 among some keys of the config.
func (b *Build) setPositive(n Node, param string, keys ...string) {
	t := catalog.Lookup(b.state.graph.Components[n].Type)
	if t == nil || t.Param(param) == nil {
		return
	}
	for _, key := range keys {
		if b.Positive(key) {
			b.Set(n, param, Num("", b.Float(key)).Value)
			return
		}
	}
}

// SetDropout sets the dropout inside of a component to the value of a key of the config.
func (b *Build) SetDropout(n Node, key string) { b.setPositive(n, "dropout", key) }

// Positive says whether a key of the config has a number above 0.
func (b *Build) Positive(key string) bool { return b.Has(key) && b.Float(key) > 0 }

// As says which module of transformers a component is.
func (b *Build) As(n Node, m catalog.Module) { b.state.modules[n] = m }

// Written changes how the module of a component is written, beside what its type and the model's say.
func Written[M catalog.Module](b *Build, n Node, change func(m *M)) {
	m, _ := b.state.modules[n].(M)
	change(&m)
	b.state.modules[n] = m
}

// Each calls a function for all components of a type that were added since one.
func (b *Build) Each(first int, typ string, call func(n Node)) {
	for n := first; n < len(b.state.modules); n++ {
		if b.IsType(Node(n), typ) {
			call(Node(n))
		}
	}
}

// Activated says how experts are activated whose class takes ACT2FN[config.hidden_act], which those with a gate of their own do not.
func Activated(b *Build, experts Node) {
	if modules.Gate[b.Type()] != "" || !b.Has("hidden_act") {
		return
	}
	if Steps[b.Str("hidden_act")] == transformers.NewGELU {
		Written(b, experts, func(m *transformers.Experts) {
			if m.Run == transformers.Grouped && !m.Rectified {
				m.Function = transformers.NewGELU
			}
		})
	}
}

// SetSize sets a parameter that is a size, where the config gives one.
func (b *Build) SetSize(n Node, name string, size int64) {
	if size > 0 {
		b.Set(n, name, graph.IntValue(size))
	}
}

// Unfollowed says of a module that nobody has followed its tensors: it names none.
func Unfollowed(b *Build, n Node) { b.state.modules[n] = nil }

// IsType says whether a component is of a type.
func (b *Build) IsType(n Node, typ string) bool { return b.state.graph.Components[n].Type == typ }

// NormOf is how the RMS norms of the model type are written.
func NormOf(b *Build) transformers.RMSNorm {
	return transformers.RMSNorm{Scaling: scalings[modules.Norm[b.Type()]]}
}

// JoinsQueries says whether the model type joins its queries and keys of features that are rotated and others.
func JoinsQueries(b *Build) bool { return slices.Contains(modules.Joined, b.Type()) }

// Held marks a result that a local variable of the model's code keeps alive until its forward pass ends.
func (b *Build) Held(n Node) Node {
	b.As(n, transformers.Held{})
	return n
}

// Detach is a result that no gradient flows back through.
func (b *Build) Detach(x Node) Node { return b.Add("detach", "", nil, x) }

// Nested says that checkpointing computes the layers inside of a stage again, each by itself, as well as the stage.
func Nested(b *Build) { b.state.nested = true }

// name gives each component the name of the registered module that it is, where its type has one.
func (s *state) name() {
	for n := range s.graph.Components {
		c, m := &s.graph.Components[n], s.modules[n]
		if m == nil {
			continue
		}
		if model, is := m.(transformers.Model); is && s.nested {
			model.Nested = true
			m = model
		}
		v := transformers.Find(c.Type, m)
		if v == nil && m != transformers.Usual(c.Type) {
			config.Fail(config.CodeConfig, c.ID, "is a %s that is written as no registered module is: %+v", c.Type, m)
		}
		if v != nil {
			c.Extra = append(c.Extra, graph.Member{Name: graph.AsMember, Raw: strconv.Quote(v.Name)})
		}
	}
}
