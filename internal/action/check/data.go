package check

import (
	"slices"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/infer"
)

// DataData is what the model wants of a dataset.
type DataData struct {
	Wired    bool     `json:"wired"`
	Modality string   `json:"modality"` // text, image, video, sequence, tabular, graph, audio, multimodal or unknown
	Contract Contract `json:"contract"`
}

// Contract is what a sample must look like. A null stands for what cannot be known.
type Contract struct {
	InputShape catalog.Shape `json:"inputShape"`
	InputDtype string        `json:"inputDtype"` // float32 or int64
	OutputDim  *int64        `json:"outputDim"`
	TaskType   string        `json:"taskType"`
}

// data is what goes in and comes out.
func data(w *walk) Stage {
	d := DataData{Wired: w.request.Data != nil, Modality: w.modality(), Contract: Contract{InputShape: w.InputShape(), InputDtype: "float32"}}
	if in := w.First("input"); in != nil && in.OutIsInt {
		d.Contract.InputDtype = "int64"
	}
	d.Contract.OutputDim, d.Contract.TaskType = w.task()
	w.classes = d.Contract.OutputDim
	found, blocks, warns := w.dataFindings()
	w.findings = append(w.findings, found...)
	s := Stage{Stage: action.Data, Status: statusOf(blocks, warns, !d.Wired), Data: d}
	missing := ""
	if !d.Wired {
		missing = "; no dataset is wired"
	}
	s.Headline = "takes " + d.Contract.InputShape.String() + " (" + d.Modality + ", " + d.Contract.InputDtype + ")" + missing
	if s.Status == Blocked {
		s.Headline = "the dataset does not fit: " + found[0].Detail
	}
	return s
}

// modality concludes from the inputs, and from the layers that read them, what a sample is.
func (w *walk) modality() string {
	var kinds []string
	for i := range w.Walked.Nodes {
		n := &w.Walked.Nodes[i]
		if n.Type == nil || n.Type.ID != infer.InputID || n.Out == nil || n.State == infer.Absent {
			continue
		}
		if k := w.kindOf(i); !slices.Contains(kinds, k) {
			kinds = append(kinds, k)
		}
	}
	switch {
	case len(kinds) == 0:
		return "unknown"
	case slices.Contains(kinds, "graph"):
		return "graph" // its features are an input of another kind
	case len(kinds) > 1:
		return "multimodal"
	}
	return kinds[0]
}

func (w *walk) kindOf(i int) string {
	n := &w.Walked.Nodes[i]
	for _, j := range w.Walked.Wiring.Outputs(i) {
		reader := w.Walked.Nodes[j].Type
		switch {
		case reader == nil:
		case reader.Group == catalog.GraphNets:
			return "graph"
		case reader.Group == catalog.Audio:
			return "audio"
		case reader.Has(catalog.IsEmbedding) && n.OutIsInt && len(n.Out) > 0:
			return "text"
		}
	}
	switch len(n.Out) {
	case 0, 1:
		return "tabular"
	case 2:
		return "sequence"
	case 3:
		return "image"
	case 4:
		return "video"
	}
	return "unknown"
}

// task concludes from the first output what is learnt. The dimension is that of the classes or values: the channels of an
// image, the last axis of anything else.
func (w *walk) task() (*int64, string) {
	out := w.OutputShape()
	one := int64(1)
	switch {
	case out == nil:
		return nil, "unknown"
	case len(out) == 0:
		return &one, "regression"
	}
	dim := out[len(out)-1]
	switch {
	case len(out) >= 3 && out.Equal(w.InputShape()):
		dim = out[0]
		return &dim, "reconstruction"
	case len(out) >= 3 && w.modality() != "text":
		dim = out[0]
		return &dim, "segmentation"
	case len(out) == 2 && w.modality() == "text" && w.isVocabulary(dim):
		return &dim, "language-modeling"
	case len(out) >= 2:
		return &dim, "sequence-labeling"
	case out.Equal(w.InputShape()) && dim > 1:
		return &dim, "reconstruction"
	case dim == 1 && w.endsInUnit():
		return &dim, "binary-classification"
	case dim == 1:
		return &dim, "regression"
	}
	return &dim, "classification"
}

// isVocabulary reports whether an embedding has so many rows.
func (w *walk) isVocabulary(n int64) bool {
	for i := range w.Walked.Nodes {
		node := &w.Walked.Nodes[i]
		if !node.Type.Has(catalog.IsEmbedding) || len(node.Weights) == 0 {
			continue
		}
		if s := node.Weights[0].Shape; len(s) > 0 && s[0] == n {
			return true
		}
	}
	return false
}

// endsInUnit reports whether what leaves the model lies between 0 and 1.
func (w *walk) endsInUnit() bool {
	for i := range w.Walked.Nodes {
		if n := &w.Walked.Nodes[i]; n.Type != nil && n.Type.ID == "output" {
			in := w.Walked.Wiring.Inputs(i)
			return len(in) > 0 && w.Walked.Nodes[in[0]].Type.Has(catalog.InUnit)
		}
	}
	return false
}
