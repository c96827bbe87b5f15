package scene

import (
	"strconv"
	"strings"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/infer"
)

// pairs are parameters that say together what goes in and what comes out.
var pairs = []struct{ from, to, between string }{
	{"inChannels", "outChannels", "→"}, {"inFeatures", "outFeatures", "→"}, {"numEmbeddings", "embeddingDim", "×"},
	{"embedDim", "vocabSize", "→"}, {"embedDim", "ffDim", "→"}, {"embedDim", "intermediateSize", "→"}, {"inputSize", "hiddenSize", "→"},
	{"maxLen", "embedDim", "×"}, {"inChannels", "embedDim", "→"},
}

// words are single parameters that are worth a place, with what stands around their value. Those with a second text are left out
// where they have that value.
var words = []struct{ param, before, after, unless string }{
	{"kernelSize", "", "", ""}, {"patchSize", "patch ", "", ""}, {"stride", "stride ", "", "1"}, {"dilation", "dilation ", "", "1"}, {"groups", "", " groups", "1"},
	{"normalizedShape", "", "", ""}, {"numFeatures", "", "", ""}, {"numGroups", "", " groups", ""}, {"numHeads", "", " heads", ""}, {"numKVHeads", "", " key heads", ""},
	{"numExperts", "", " experts", ""}, {"topK", "top ", "", ""}, {"numLayers", "", " layers", "1"}, {"windowSize", "window ", "", ""}, {"activation", "", "", ""},
	{"outputSize", "to ", "", ""}, {"scaleFactor", "×", "", ""}, {"upscaleFactor", "×", "", ""}, {"p", "p ", "", ""}, {"dim", "axis ", "", ""}, {"dims", "axes ", "", ""},
	{"outShape", "", "", ""}, {"equation", "", "", ""},
}

// detail says what matters of a component's arguments.
func detail(node *infer.Node) string {
	if node.Type == nil || node.Type.Has(catalog.IsVirtual) {
		return ""
	}
	var out []string
	used := ""
	for _, p := range pairs {
		from, to := value(node, p.from), value(node, p.to)
		if from != "" && to != "" {
			out, used = append(out, from+p.between+to), p.from+" "+p.to
			break
		}
	}
	if used == "" && value(node, "embedDim") != "" {
		out = append(out, value(node, "embedDim"))
	}
	for _, w := range words {
		v := value(node, w.param)
		if v == "" || v == w.unless || strings.Contains(used, w.param) {
			continue
		}
		out = append(out, w.before+v+w.after)
	}
	return strings.Join(out, " · ")
}

// value writes an argument: sizes of several axes with a cross between them, one kernel size as often as there are axes.
func value(node *infer.Node, param string) string {
	for i := range node.Args {
		if node.Type.Params[i].Name != param {
			continue
		}
		v := node.Args[i]
		switch v.Kind() {
		case graph.String:
			return v.Str()
		case graph.List:
			parts := make([]string, len(v.List()))
			for k, x := range v.List() {
				parts[k] = x.String()
			}
			return strings.Join(parts, "×")
		case graph.Int:
			s := strconv.FormatInt(v.Int(), 10)
			if n := node.Type.Params[i].N; param == "kernelSize" || param == "patchSize" {
				return strings.TrimSuffix(strings.Repeat(s+"×", max(n, 1)), "×")
			}
			return s
		case graph.Float:
			return v.String()
		}
	}
	return ""
}

// ShapeText writes a shape as a picture has room for it.
func ShapeText(s catalog.Shape) string {
	if len(s) == 0 {
		return "scalar"
	}
	return strings.ReplaceAll(strings.Trim(s.String(), "[]"), ",", "×")
}
