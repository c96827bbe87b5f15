package neurarch

import "github.com/modelverifier/verifier/internal/graph"

// entry is what the editor means by one of its types, where that is not what the catalogue means by the same name. A type without an entry,
// and a parameter that an entry does not name, mean what the catalogue says.
type entry struct {
	to    string            // the catalogue's type
	names map[string]string // its name of a parameter to the catalogue's
	sets  []graph.Param     // its defaults, where they are not the catalogue's
	none  map[string]string // a parameter that changes nothing, and why
	needs []string          // what must be known for the weights to be: without it the component stays open
}

// Reasons for which a parameter changes nothing.
const (
	followsFromEdges = "the connections say how many arrive"
	noPositions      = "a table of tokens has no positions, and no weights depend on the longest sequence"
	rotatesAnyLength = "rotary positions are computed, and have no weights"
	followsFromInput = "the input has its size"
)

var (
	merge     = entry{none: map[string]string{"numInputs": followsFromEdges}}
	recurrent = entry{names: map[string]string{"inFeatures": "inputSize"}, sets: []graph.Param{setInt("hiddenSize", 128)}}
	features  = entry{names: map[string]string{"normalizedShape": "numFeatures"}}
	kernel    = entry{sets: []graph.Param{setInt("kernelSize", 3)}}
	rotary    = entry{names: map[string]string{"dim": "headDim"}, none: map[string]string{"maxSeqLen": rotatesAnyLength, "maxLen": rotatesAnyLength}}
	table     = entry{names: map[string]string{"vocabSize": "numEmbeddings", "embedDim": "embeddingDim"},
		none: map[string]string{"maxSeqLen": noPositions, "maxLen": noPositions}}
	experts = entry{to: "moeLayer", names: map[string]string{"hiddenDim": "expertDim", "ffDim": "expertDim", "dim": "embedDim"}}
	noBias  = entry{sets: []graph.Param{{Name: "bias", Value: graph.BoolValue(false)}}}
)

// entries are by the editor's spelling of a type. Defaults and counts are those of its own estimator of parameters (neurarch-mcp,
// src/lib/paramEstimator.ts), names those of its palette and its model zoo.
var entries = map[string]entry{
	"add": merge, "multiply": merge, "concatenate": merge, "stack": merge, "subtract": merge,
	"mean": merge, // of several inputs it is their mean: see several

	"conv1d": kernel, "conv2d": kernel, "conv3d": kernel, "transposeConv2d": kernel, "dilatedConv2d": kernel, "separableConv2d": kernel,
	"depthwiseConv2d": kernel, "depthwiseConv1d": kernel,
	"audioConv": {to: "conv1d", sets: kernel.sets},

	"batchNorm": features, "instanceNorm": features,
	"lstm": recurrent, "gru": recurrent, "rnn": recurrent, "bidirectionalLSTM": recurrent, "bidirectionalGRU": recurrent,
	"embedding": table, "embeddingBag": table,
	"rope":  rotary,
	"alibi": {none: map[string]string{"maxSeqLen": rotatesAnyLength}},

	"attention":           {to: "multiHeadAttention"},
	"causalAttention":     noBias,
	"graphAttention":      {to: "gat"},
	"crossModalAttention": {to: "crossAttention"},
	"residual":            {to: "add", none: merge.none},
	"transformerBlock":    {names: map[string]string{"dFf": "ffDim", "dff": "ffDim"}},
	"swiglu": {names: map[string]string{"dim": "embedDim", "inFeatures": "embedDim", "hiddenFeatures": "intermediateSize",
		"hiddenDim": "intermediateSize"}},
	"geglu": {names: map[string]string{"dim": "embedDim", "inFeatures": "embedDim", "hiddenFeatures": "intermediateSize",
		"hiddenDim": "intermediateSize"}},
	"moeLayer":        experts,
	"sharedExpertMoE": {to: "moeLayer", names: experts.names, sets: []graph.Param{setInt("numSharedExperts", 1)}},
	"mla": {names: map[string]string{"kvLatentDim": "kvLoraRank", "qLatentDim": "qLoraRank", "ropeHeadDim": "qkRopeHeadDim",
		"nopeHeadDim": "qkNopeHeadDim", "valueHeadDim": "vHeadDim"}, needs: []string{"kvLoraRank", "qkNopeHeadDim", "qkRopeHeadDim", "vHeadDim"}},
	"lmHead": {names: map[string]string{"weightTied": "tied", "numEmbeddings": "vocabSize"}},
	"projection": {names: map[string]string{"inDim": "inFeatures", "outDim": "outFeatures", "projDim": "outFeatures"},
		sets: []graph.Param{{Name: "bias", Value: graph.BoolValue(true)}}},
	"patchEmbed": {names: map[string]string{"inChans": "inChannels"}, none: map[string]string{"imgSize": followsFromInput},
		sets: []graph.Param{setInt("patchSize", 16), setInt("embedDim", 768)}},
	"learnedPositionalEmbedding": {names: map[string]string{"maxSeqLen": "maxLen"}},
	"positionalEncoding":         {names: map[string]string{"maxSeqLen": "maxLen"}},
}

func setInt(name string, n int64) graph.Param {
	return graph.Param{Name: name, Value: graph.IntValue(n)}
}
