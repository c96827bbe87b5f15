package estimate

import (
	"slices"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/infer"
	autograd "github.com/modelverifier/verifier/internal/tape"
)

// MaxImages is how many images a request has at the most.
const MaxImages = 1 << 12

// Images is what the images of a request take of a model that sees. All of a batch go through the tower in front of the text at once, as transformers
// runs it. It is computed from the graph, and was not measured.
type Images struct {
	Count           int64  // in one request
	TokensEach      int64  // of the prompt that stand for one image; 0 where Open says why that is not known
	WeightBytes     int64  // of the tower
	ActivationBytes int64  // of the tower at the most, beside its weights, for the images of all requests
	Open            string // what is not known, and why
}

// ImagesBody is the same as it goes over the wire.
type ImagesBody struct {
	Count           int64  `json:"count"`      // in one request
	TokensEach      *int64 `json:"tokensEach"` // null where open says why it is not known, or that there are none
	Tokens          *int64 `json:"tokens"`     // of the prompt, for all of them
	WeightBytes     int64  `json:"weightBytes"`
	ActivationBytes int64  `json:"activationBytes"` // of the tower, for all images of the batch at once
	Open            string `json:"open,omitempty"`
}

// Known reports whether nothing about them is open that would change a figure.
func (i *Images) Known() bool { return i.Open == "" || i.Open == lookedAt }

// Body is the wire form, nil where no images were asked for.
func (i *Images) Body() *ImagesBody {
	if i == nil {
		return nil
	}
	out := &ImagesBody{Count: i.Count, WeightBytes: i.WeightBytes, ActivationBytes: i.ActivationBytes, Open: i.Open}
	if each, all := i.TokensEach, i.Tokens(); each > 0 {
		out.TokensEach, out.Tokens = &each, &all
	}
	return out
}

// Tokens is how many tokens of a prompt stand for the images.
func (i *Images) Tokens() int64 { return times(i.Count, i.TokensEach) }

// Why an answer is open.
const (
	noImages    = "no input of this graph takes images beside text, so what they take is not known"
	lookedAt    = "layers of the text look at images by attention: they take no tokens of the prompt"
	unknownJoin = "how the text takes images is not known, and so is how many tokens each takes"
)

// ImagesOf follows the tower of a model with so many images in each of the batch's requests; nil where none are asked for.
func ImagesOf(res *infer.Result, o InferOptions) *Images { return new(Room).imagesOf(res, o) }

func (r *Room) imagesOf(res *infer.Result, o InferOptions) *Images {
	if o.Images <= 0 {
		return nil
	}
	out := &Images{Count: min(o.Images, MaxImages)}
	tower := seeing(res)
	if !slices.Contains(tower, true) {
		out.Open = noImages
		return out
	}
	out.TokensEach, out.Open = joins(res, tower)
	alone := r.walk(cutOut(res, tower))
	o.Batch = times(o.Batch, out.Count)
	pass, missing := r.passOf(alone, o, autograd.Use{})
	if out.WeightBytes, out.ActivationBytes = pass.Weights, max(0, pass.Most-pass.Weights); missing != "" || len(alone.Refusals) > 0 {
		out.ActivationBytes, out.Open = 0, "what the tower holds while it runs is not known: not every component of it is"
	}
	return out
}

// seeing says of each component whether it reads an image and no text: an input of channels, rows and columns beside one of tokens.
func seeing(res *infer.Result) []bool {
	image, text := make([]bool, len(res.Nodes)), make([]bool, len(res.Nodes))
	texts := false
	for _, i := range res.Wiring.Order {
		n := &res.Nodes[i]
		if n.Type != nil && n.Type.ID == infer.InputID {
			image[i], text[i] = !n.OutIsInt && n.Out.Rank() >= 3, n.OutIsInt && n.Out.Rank() == 1
			texts = texts || text[i]
		}
		for _, j := range res.Wiring.Inputs(i) {
			image[i], text[i] = image[i] || image[j], text[i] || text[j]
		}
	}
	for i := range image {
		image[i] = image[i] && !text[i] && texts
	}
	return image
}

// joins is how many tokens stand for one image: the rows of what the text takes of the tower.
func joins(res *infer.Result, tower []bool) (tokens int64, open string) {
	attention := true
	for _, i := range ends(res, tower) {
		out := res.Nodes[i].Out
		for _, j := range res.Wiring.Outputs(i) {
			attention = attention && (tower[j] || res.Nodes[j].Type.Has(catalog.IsAttention))
		}
		if out.Rank() != 2 || tokens != 0 && tokens != out[0] {
			return 0, unknownJoin
		}
		tokens = out[0]
	}
	switch {
	case tokens == 0:
		return 0, unknownJoin
	case attention:
		return 0, lookedAt
	}
	return tokens, ""
}

// ends are the components of a part whose results others read.
func ends(res *infer.Result, part []bool) (out []int) {
	for i := range res.Nodes {
		if part[i] && slices.ContainsFunc(res.Wiring.Outputs(i), func(j int32) bool { return !part[j] }) {
			out = append(out, i)
		}
	}
	return out
}

// cutOut is a part of a model as a model of its own, whose outputs are what others read.
func cutOut(res *infer.Result, part []bool) *graph.Graph {
	whole := res.Graph.Clone()
	inside := map[string]bool{}
	g := *whole
	g.Components, g.Connections = nil, nil
	for i := range whole.Components {
		if part[i] {
			g.Components, inside[whole.Components[i].ID] = append(g.Components, whole.Components[i]), true
		}
	}
	for _, c := range whole.Connections {
		if inside[c.From] && inside[c.To] {
			g.Connections = append(g.Connections, c)
		}
	}
	for _, i := range ends(res, part) {
		out := graph.Component{ID: whole.Components[i].ID + "/out", Type: "output"}
		g.Components = append(g.Components, out)
		g.Connections = append(g.Connections, graph.Connection{From: whole.Components[i].ID, To: out.ID})
	}
	return &g
}
