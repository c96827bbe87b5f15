package data

import (
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/internal/quantity"
)

// output returns what the first output of the model reads, nil where that is not known.
func (s *subject) output() *infer.Node {
	for i := range s.res.Nodes {
		if t := s.res.Nodes[i].Type; t != nil && t.ID == "output" {
			if in := s.res.Wiring.Inputs(i); len(in) > 0 && s.res.Nodes[in[0]].Out != nil {
				return &s.res.Nodes[in[0]]
			}
			return nil
		}
	}
	return nil
}

// classes is how many labels a dataset has: as it says, or one for each count.
func (r *Request) classes() int64 {
	if r.NumLabels > 0 {
		return r.NumLabels
	}
	return int64(len(r.ClassCounts))
}

// labels compares the classes of a dataset with the model's output: the channels of an image, the last axis of anything else.
func labels(s *subject) []Check {
	count := s.classes()
	if count == 0 {
		return nil
	}
	c := Check{Name: "labels", Status: pass, Expected: "a model that tells classes apart", Actual: counted(count, "class"), title: "There are more classes than the model gives logits"}
	n := s.output()
	if n == nil || n.Type.Has(catalog.IsHead) || n.OutIsInt || !s.tellsClasses(n.Out) {
		c.Status, c.Detail = unknown, "what the model gives is not known to be the logits of classes"
		return one(c)
	}
	logits := int64(1)
	if r := n.Out.Rank(); r == 3 {
		logits = n.Out[0]
	} else if r > 0 {
		logits = n.Out.At(-1)
	}
	c.Expected = "at most " + counted(logits, "class")
	c.Detail = "the model gives " + counted(logits, "logit") + " for " + counted(count, "class")
	switch {
	case logits == 1 && count <= 2:
		c.Expected, c.Detail = "2 classes", "one logit tells two classes apart"
	case logits == 1:
		c.Status, c.title = warn, "One number cannot tell the classes apart"
		c.Detail = "the model gives one number, which tells two classes apart and not " + quantity.Grouped(count)
		s.widen(&c, n, count)
	case count > logits:
		c.Status = block
		c.Detail = "labels go up to " + quantity.Grouped(count-1) + ", and the model gives " + counted(logits, "logit")
		s.widen(&c, n, count)
	case count < logits:
		c.Status, c.title = warn, "The model has logits for classes that the dataset does not have"
		s.widen(&c, n, count)
	}
	return one(c)
}

// tellsClasses reports whether a result can be the logits of classes: not what has the shape of an input, which is learnt to be like
// it, and of images only one of the image's size or smaller, for whose points classes are told.
func (s *subject) tellsClasses(out catalog.Shape) bool {
	pictures := out.Rank() < 3
	for i := range s.res.Nodes {
		n := &s.res.Nodes[i]
		if n.Type == nil || n.Type.ID != infer.InputID || n.OutIsInt {
			continue
		}
		if n.Out.Equal(out) && out.Size() > 1 {
			return false
		}
		if n.Out.Rank() == 3 && out.Rank() == 3 && n.Out[1] >= out[1] && n.Out[2] >= out[2] {
			pictures = true
		}
	}
	return pictures
}

// widen offers to give the last linear layer as many output features as there are classes.
func (s *subject) widen(c *Check, n *infer.Node, count int64) {
	if n.Type.ID == "linear" {
		c.component = n.Component.ID
		c.fixWith(Edit{n.Component.ID, "outFeatures", graph.IntValue(count)})
	}
}
