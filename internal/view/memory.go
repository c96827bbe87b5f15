package view

import (
	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/action/plan"
	"github.com/modelverifier/verifier/internal/estimate"
	"github.com/modelverifier/verifier/internal/graph"
)

var _ = define(call{"memory", curve})

// Curve is what a training step holds over its course. The request is that of plan.
type Curve struct {
	WeightBytes int64   `json:"weightBytes"` // always there, as the next two
	StateBytes  int64   `json:"stateBytes"`
	InputBytes  int64   `json:"inputBytes"`
	Points      []Point `json:"points"` // empty where the memory of the model is not known
	Peak        *Peak   `json:"peak"`
	Moments     int     `json:"moments"`     // that were looked at; there is a point for the largest of each few
	MicroBatch  int64   `json:"microBatch"`  // where the curve is that of one of several
	Lacks       string  `json:"lacks"`       // why there is no curve, or what it lacks
	Assumptions string  `json:"assumptions"` // those of plan
	Error       *int64  `json:"errorPercent"`
}

// Point is one moment.
type Point struct {
	At              int            `json:"at"` // its number among the moments
	Bytes           int64          `json:"bytes"`
	Phase           estimate.Phase `json:"phase"`
	Component       string         `json:"component,omitempty"` // that runs; absent for loss and optimizer
	GradientBytes   int64          `json:"gradientBytes"`
	ActivationBytes int64          `json:"activationBytes"`
	LogitBytes      int64          `json:"logitBytes"`
	StepBytes       int64          `json:"stepBytes"`
	PassingBytes    int64          `json:"passingBytes"`
}

// Peak is the largest moment, and what lives then.
type Peak struct {
	At    int    `json:"at"`
	Bytes int64  `json:"bytes"`
	Live  []Live `json:"live"`  // the parts, which add up to it
	Saved []Live `json:"saved"` // the components that saved the most for backward
	Rest  Live   `json:"rest"`  // what the others have saved
}

// Live is something that takes memory.
type Live struct {
	What      string `json:"what"`
	Component string `json:"component,omitempty"`
	Bytes     int64  `json:"bytes"`
	Count     int    `json:"count,omitempty"`
}

// Limits of what is drawn: more points than a screen has columns show nothing more.
const (
	mostPoints = 480
	mostSaved  = 12
)

func curve(body []byte, limits graph.Limits) (any, error) {
	r, err := plan.Decode(body, limits)
	if err != nil {
		return nil, err
	}
	s := action.Examine(r.Model)
	s.Price(r.Training, r.SeqLen)
	out := &Curve{Points: []Point{}, Assumptions: s.Assumptions()}
	if !s.Priced() {
		out.Lacks = s.Unpriced()
		return out, nil
	}
	out.Lacks = s.Bounded()
	if s.Complete() {
		out.Error = s.Training.PeakError()
	}
	o := s.Training.Options
	out.MicroBatch = o.MicroBatch
	out.draw(s, estimate.Follow(s.Sized, o))
	return out, nil
}

// draw takes the largest moment of every few, and the peak.
func (out *Curve) draw(s *action.Study, c *estimate.Curve) {
	out.WeightBytes, out.StateBytes, out.InputBytes, out.Moments = c.Weights, c.States, c.Inputs, len(c.Moments)
	id := func(i int) string {
		if i < 0 {
			return ""
		}
		return s.Graph.Components[i].ID
	}
	step := (len(c.Moments) + mostPoints - 1) / mostPoints
	for from := 0; from < len(c.Moments); from += max(step, 1) {
		at := from
		for k := from; k < min(from+step, len(c.Moments)); k++ {
			if c.Moments[k].Total > c.Moments[at].Total {
				at = k
			}
		}
		m := &c.Moments[at]
		out.Points = append(out.Points,
			Point{at, m.Total, m.Phase, id(m.Component), m.Gradients, m.Activation, m.Logits, m.Step, m.Passing})
	}
	if c.Peak < 0 {
		return
	}
	m := &c.Moments[c.Peak]
	out.Peak = &Peak{At: c.Peak, Bytes: m.Total, Saved: []Live{}, Live: []Live{
		{What: "weights", Bytes: c.Weights}, {What: "optimizer states", Bytes: c.States},
		{What: "gradients", Bytes: m.Gradients}, {What: "activations", Bytes: m.Activation},
		{What: "logits and loss", Bytes: m.Logits}, {What: "optimizer step", Bytes: m.Step},
		{What: "in passing", Bytes: m.Passing}, {What: "inputs and targets", Bytes: c.Inputs}}}
	for k, x := range c.Saved {
		if k < mostSaved {
			name := s.Graph.Components[x.Component].Label()
			out.Peak.Saved = append(out.Peak.Saved, Live{What: name, Component: id(x.Component), Bytes: x.Bytes})
			continue
		}
		out.Peak.Rest.Bytes += x.Bytes
		out.Peak.Rest.Count++
	}
}
