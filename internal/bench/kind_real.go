package bench

import (
	"slices"
	"strings"

	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/internal/quantity"
)

var _ = defineKind(Kind{
	Name: "real",
	Doc: "The model is made of layers: types of the list in the documentation, or components of the start as they " +
		"are. No module of unknown content, tensor of its own, note, hand-written arithmetic, parameter that the type " +
		"does not have, weight shared with another component, nor member that would choose how the model is judged.",
	Want: func(*Constraint) string {
		return "made of the usual layers alone: beyond what the start has, no customModule, parameter, slice, select, " +
			"split, arithmetic or note, no parameter that a type does not have, no weights shared between components " +
			"(tiedTo, tied, sameAs), no config, as or scope"
	},
	Holds: func(_ *Constraint, s *subject) (bool, string) {
		if why := s.members(); why != "" {
			return false, why
		}
		for i := range s.walked.Nodes {
			n := &s.walked.Nodes[i]
			if why := s.unreal(n); why != "" && !s.asStarted(n.Component) {
				return false, n.Component.Label() + ": " + why
			}
		}
		return true, "it is made of layers"
	},
})

// layers are the types that an answer may use wherever it likes: each computes with all that arrives, and none can
// throw it away.
var layers = strings.Fields(`
input output
linear lmHead
conv1d conv2d conv3d depthwiseConv1d depthwiseConv2d dilatedConv2d separableConv2d transposeConv1d transposeConv2d transposeConv3d
avgpool1d avgpool2d avgpool3d maxpool1d maxpool2d maxpool3d
adaptiveAvgPool1d adaptiveAvgPool2d adaptiveAvgPool3d adaptiveMaxPool1d adaptiveMaxPool2d adaptiveMaxPool3d
globalAvgPool1d globalAvgPool2d globalAvgPool3d globalMaxPool1d globalMaxPool2d globalMaxPool3d
upsample interpolate pixelShuffle pixelUnshuffle channelShuffle
batchNorm groupNorm layerNorm rmsNorm
relu leakyRelu prelu elu celu selu gelu quickGelu silu swish mish hardSwish relu6 sigmoid tanh softplus softsign squaredRelu glu
dropout dropout1d dropout2d dropout3d dropPath
embedding learnedPositionalEmbedding positionalEncoding patchEmbed
gru lstm rnn bidirectionalGRU bidirectionalLSTM bidirectionalRNN
selfAttention multiHeadAttention causalAttention groupedQueryAttention ropeAttention localAttention
basicBlock bottleneckBlock convNeXtBlock denseLayer feedForward geglu swiglu invResidualBlock mbConvBlock
moeLayer sharedExpertMoE seBlock transformerBlock layerScale
add concatenate multiply mean
flatten permute transpose reshape squeeze unsqueeze unflatten`)

// unreal says what of a component is no layer, "" where nothing is.
func (s *subject) unreal(n *infer.Node) string {
	c := n.Component
	if n.Type == nil {
		return "its type " + clip(c.Type) + " is not known"
	}
	if !slices.Contains(layers, n.Type.ID) {
		return n.Type.ID + " is not among the layers that an answer may use"
	}
	for _, p := range c.Params {
		switch {
		case n.Type.Param(p.Name) == nil:
			return n.Type.ID + " has no parameter " + clip(p.Name)
		case sharing(p.Name) && p.Value.Kind() != graph.Null && (p.Value.Kind() != graph.Bool || p.Value.Bool()):
			return "shares its weights by " + p.Name
		case p.Name == "asks":
			return "has a question instead of a shape"
		}
	}
	for _, m := range c.Extra {
		if m.Name == graph.AsMember || m.Name == graph.ImplementationMember || m.Name == "scope" {
			return "has the member " + m.Name + ", which chooses how it is judged"
		}
	}
	return ""
}

// sharing reports whether a parameter makes a component use the weights of another.
func sharing(param string) bool { return param == "tiedTo" || param == "tied" || param == "sameAs" }

// asStarted reports whether the start has this component, as it is.
func (s *subject) asStarted(c *graph.Component) bool {
	if s.start == nil {
		return false
	}
	old := s.old(c.ID)
	return old != nil && sameComponent(old, c) && slices.Equal(old.Extra, c.Extra)
}

// members says which member of the model chooses how it is judged, "" where none does.
func (s *subject) members() string {
	for _, m := range s.study.Graph.Extra {
		if m.Name == "config" && (s.start == nil || !slices.Contains(s.start.Extra, m)) {
			return "the model has a config, which says things of it that its components do not"
		}
	}
	for i := range s.study.Graph.Connections {
		if c := &s.study.Graph.Connections[i]; c.Inferred != "" {
			return quantity.Sprintf("the connection from %s to %s is marked as inferred", clip(c.From), clip(c.To))
		}
	}
	return ""
}
