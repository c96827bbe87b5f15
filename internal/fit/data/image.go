package data

import (
	"strconv"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/fit/facts"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/internal/quantity"
)

// pictures returns the first input that is an image, or -1.
func (s *subject) pictures() int {
	for i := range s.res.Nodes {
		n := &s.res.Nodes[i]
		if n.Type != nil && n.Type.ID == infer.InputID && n.Out.Rank() == 3 && !n.OutIsInt {
			return i
		}
	}
	return -1
}

// image compares channels and size of the dataset's images with the model's input.
func image(s *subject) []Check {
	if s.Channels == 0 && s.ImageHeight == 0 && s.ImageWidth == 0 {
		return nil
	}
	i := s.pictures()
	if i < 0 {
		return one(Check{Name: "image", Status: unknown, Expected: "a model that reads images", Actual: "images", Detail: "the model has no input of channels, height and width"})
	}
	own := s.res.Nodes[i].Out
	shape := []int64{own[0], own[1], own[2]}
	for k, n := range []int64{s.Channels, s.ImageHeight, s.ImageWidth} {
		if n > 0 {
			shape[k] = n
		}
	}
	var out []Check
	if s.Channels > 0 {
		out = append(out, s.channels(i, own))
	}
	if s.ImageHeight > 0 || s.ImageWidth > 0 {
		out = append(out, s.size(i, own, shape))
		if c, found := s.patches(i, shape); found {
			out = append(out, c)
		}
	}
	return out
}

// channels asks the model with the dataset's channels at its own size.
func (s *subject) channels(i int, own []int64) Check {
	c := Check{Name: "channels", Status: pass, Expected: counted(own[0], "channel"), Actual: counted(s.Channels, "channel"),
		Detail: "images have the channels that the model reads", title: "Images do not have the channels that the model reads"}
	if s.Channels == own[0] {
		return c
	}
	refusal, known := s.with(map[int][]int64{i: {s.Channels, own[1], own[2]}})
	switch {
	case refusal != nil:
		c.Status, c.component = block, s.res.Graph.Components[refusal.Node].ID
		c.Detail = "images have " + counted(s.Channels, "channel") + ": " + s.label(refusal) + ": " + refusal.Message
		c.Fix = "convert the images to " + counted(own[0], "channel")
	case !known:
		c.Status, c.Detail = unknown, s.unasked()
	default:
		c.Status, c.title = warn, "Images have other channels than the model's input says"
		c.Detail = "the input says " + counted(own[0], "channel") + " and images have " + quantity.Grouped(s.Channels) + "; the model runs on either, with other weights"
	}
	return c
}

// size asks the model with the dataset's size.
func (s *subject) size(i int, own, shape []int64) Check {
	c := Check{Name: "image-size", Status: pass, Expected: sides(own[1], own[2]), Actual: sides(shape[1], shape[2]), Detail: "images have the size that the model takes", title: "Images do not have a size that the model takes"}
	if shape[1] == own[1] && shape[2] == own[2] {
		return c
	}
	refusal, known := s.with(map[int][]int64{i: {own[0], shape[1], shape[2]}})
	switch {
	case refusal != nil && s.stretches(refusal):
		c.Expected, c.Detail = "any size at which the model runs", "the positions of "+s.facts.ModelType+" are stretched to images of "+sides(shape[1], shape[2])
	case refusal != nil && s.writtenDown(refusal):
		c.Status = unknown
		c.Detail = "the graph was imported at " + sides(own[1], own[2]) + " and has that size written into it, as at " + s.label(refusal)
	case refusal != nil:
		c.Status, c.component = block, s.res.Graph.Components[refusal.Node].ID
		c.Detail = "on images of " + sides(shape[1], shape[2]) + " the model does not run: " + s.label(refusal) + ": " + refusal.Message
		c.Fix = "resize the images to " + sides(own[1], own[2])
	case !known:
		c.Status, c.Detail = unknown, s.unasked()
	default:
		c.Expected = "any size at which the model runs"
		c.Detail = "the model runs on images of " + sides(shape[1], shape[2])
	}
	return c
}

// stretches reports whether the model makes its table of positions fit the image by itself (transformers' Dinov2Embeddings; others
// do so only when forward is told to).
func (s *subject) stretches(r *infer.Refusal) bool {
	return r.Rule == catalog.SequenceExceedsPosition && (s.facts.ModelType == "dinov2" || s.facts.ModelType == "dinov2_with_registers")
}

// writtenDown reports whether a refusal may come of a size that an importer wrote down and the model's program computes.
func (s *subject) writtenDown(r *infer.Refusal) bool {
	switch r.Rule {
	case catalog.SequenceExceedsPosition, catalog.KernelExceedsInput, catalog.ChannelMismatch:
		return false
	}
	return facts.Imported(s.res)
}

// patches warns of pixels that no patch covers.
func (s *subject) patches(i int, shape []int64) (Check, bool) {
	for _, j := range s.readers(i) {
		n := &s.res.Nodes[j]
		if n.Type == nil || n.Args == nil {
			continue
		}
		h, w := pair(arg(n, "patchSize"))
		if kh, kw := pair(arg(n, "kernelSize")); h == 0 && kh > 1 {
			if sh, sw := pair(arg(n, "stride")); sh == kh && sw == kw {
				h, w = kh, kw
			}
		}
		if h <= 1 && w <= 1 {
			continue
		}
		c := Check{Name: "patches", Status: pass, Expected: "sides divisible by " + sides(h, w), Actual: sides(shape[1], shape[2]), Detail: "patches cover the whole image", title: "Patches leave a part of the image out", component: n.Component.ID}
		if shape[1]%h != 0 || shape[2]%w != 0 {
			c.Status = warn
			c.Detail = n.Component.Label() + " cuts patches of " + sides(h, w) + " and leaves out " + counted(shape[1]%h, "row") + " and " + counted(shape[2]%w, "column")
			c.Fix = "resize the images to " + sides(max(1, shape[1]/h)*h, max(1, shape[2]/w)*w)
		}
		return c, true
	}
	return Check{}, false
}

func sides(h, w int64) string { return strconv.FormatInt(h, 10) + "x" + strconv.FormatInt(w, 10) }

// pair reads a parameter for height and width; a single number stands for both.
func pair(v graph.Value) (h, w int64) {
	list := v.List()
	switch {
	case v.Kind() == graph.Int:
		return v.Int(), v.Int()
	case len(list) == 1:
		return list[0].Int(), list[0].Int()
	case len(list) >= 2:
		return list[0].Int(), list[1].Int()
	}
	return 0, 0
}

// arg is the value of a parameter of a component, or none where its type does not have it.
func arg(n *infer.Node, name string) graph.Value {
	for i := range n.Args {
		if n.Type.Params[i].Name == name {
			return n.Args[i]
		}
	}
	return graph.Value{}
}
