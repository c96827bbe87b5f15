package check

import (
	"github.com/modelverifier/verifier/internal/action"
	fitdata "github.com/modelverifier/verifier/internal/fit/data"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/rules"
)

// decodeData reads what is known of the dataset.
func decodeData(f *action.Fields) *fitdata.Request {
	o := f.Object("data")
	if o == nil {
		return nil
	}
	defer f.Close(o)
	r := &fitdata.Request{}
	for _, n := range []struct {
		name string
		into *int64
	}{{"seq_len", &r.SeqLen}, {"tokenizer_size", &r.TokenizerSize}, {"num_labels", &r.NumLabels}, {"channels", &r.Channels}, {"features", &r.Features}} {
		if v, given := o.Int(n.name, 1); given {
			*n.into = v
		}
	}
	if v, given := o.Int("samples", 0); given {
		r.Samples = &v
	}
	switch size := o.Ints("image_size", 1); len(size) {
	case 0:
	case 1:
		r.ImageHeight, r.ImageWidth = size[0], size[0]
	case 2:
		r.ImageHeight, r.ImageWidth = size[0], size[1]
	default:
		o.Fail(action.Errorf(action.CodeForm, o.Path("image_size"), "must be one side, or height and width"))
	}
	r.ClassCounts = o.Ints("class_counts", 0)
	return r
}

// DecodeData reads a dataset's description alone, as the member data of a request has it.
func DecodeData(text string) (*fitdata.Request, error) {
	if err := action.Read([]byte(text), graph.LocalLimits).Err(); err != nil {
		return nil, err // not an object, and nothing behind it: what stands in a request next could end it
	}
	f := action.Read([]byte(`{"data":`+text+`}`), graph.LocalLimits)
	r := decodeData(f)
	if err := f.Err(); err != nil {
		return nil, err
	}
	return r, nil
}

// fitData holds the dataset against the model, whether or not the walk gets as far.
func (w *walk) fitData() *fitdata.Result {
	if w.request.Data == nil {
		return nil
	}
	w.dataFit = fitdata.Judge(w.Walked, *w.request.Data)
	return w.dataFit
}

// dataFindings are those of the section as findings of the stage data.
func (w *walk) dataFindings() (out []action.Finding, blocks, warns int) {
	if w.dataFit == nil {
		return nil, 0, 0
	}
	for _, f := range w.dataFit.Findings {
		out = append(out, OfData(f))
		if f.Severity == rules.Block {
			blocks++
		} else {
			warns++
		}
	}
	return out, blocks, warns
}

// OfData is what a dataset finds, as a finding of the stage data.
func OfData(f fitdata.Finding) action.Finding {
	found := action.Finding{Stage: action.Data, Severity: f.Severity, Title: f.Title, Detail: f.Detail, Fix: f.Fix, Section: true, Component: f.Component}
	for _, e := range f.Edit {
		found.Edit = append(found.Edit, action.Edit{Component: e.Component, Param: e.Param, Value: e.Value})
	}
	return found
}
