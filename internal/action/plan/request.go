package plan

import (
	"strings"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/estimate"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/policy"
	"github.com/modelverifier/verifier/internal/solve"
)

// Request is what can be asked.
type Request struct {
	Model    *graph.Graph
	Base     *graph.Graph // the version before, or nil
	Policy   *policy.Policy
	Training estimate.Options
	Using    estimate.InferOptions // how the trained model is used
	SeqLen   int64                 // tokens of a sample; 0 for the default
	Solve    solve.Question        // what is asked of the run; empty for nothing
	Share    bool                  // whether the hosted service is to keep the graph; no other one can
	Source   *Source
	Notes    []string        // what was translated in a file of another tool
	Text     action.TextCall // the model called with text alone, for what a finding offers
	Examined action.Observer // is told about the model and not about its base; may be nil

	// Against holds the model against what else the run needs, such as its dataset, and returns what blocks and what warns. No
	// request over the wire has one; nil: nothing.
	Against func(*action.Study) (blocks, warns []action.Finding)

	room *action.Room // nil where it was not read by DecodeIn
}

// Source says where the caller has the graph from.
type Source struct {
	Kind   string `json:"kind,omitempty"`
	Target string `json:"target,omitempty"`
	Input  string `json:"input,omitempty"` // <dims>:<dtype>
}

// Decode reads a request.
func Decode(body []byte, limits graph.Limits) (*Request, error) { return DecodeIn(nil, body, limits) }

// DecodeIn is the same for a Run that examines the model in memory that was used before. Its answer is good until the room is cleared.
func DecodeIn(room *action.Room, body []byte, limits graph.Limits) (*Request, error) {
	f := action.Read(body, limits, action.Model, action.Base)
	r := &Request{room: room, Model: f.Model(), Base: f.Graph(action.Base), Policy: f.Policy(), Notes: f.Notes()}
	r.Training, r.Solve = training(f)
	r.Using, r.Share = inference(f), f.Bool("share")
	r.Training.Attention = f.Enum("attention", estimate.Attentions...)
	r.Using.Attention = r.Training.Attention
	r.SeqLen, _ = f.Int("seq_len", 1)
	r.Source = source(f)
	if err := f.Err(); err != nil {
		return nil, err
	}
	if err := r.CheckNames(limits); err != nil {
		return nil, err
	}
	return r, nil
}

// maxSource is how long each word of a source may be: it is echoed in a comment.
const maxSource = 300

func source(f *action.Fields) *Source {
	fields := f.Object("source")
	if fields == nil {
		return nil
	}
	s := &Source{}
	for _, w := range []struct {
		name string
		to   *string
	}{{"kind", &s.Kind}, {"target", &s.Target}, {"input", &s.Input}} {
		if *w.to = fields.Str(w.name); len(*w.to) > maxSource {
			e := action.Errorf(action.CodeRange, fields.Path(w.name), "has %d bytes but must have at most %d", len(*w.to), maxSource)
			e.Limit = maxSource
			fields.Fail(e)
		}
	}
	if s.Input != "" && !isInput(s.Input) {
		fields.Fail(action.Errorf(action.CodeForm, fields.Path("input"), "must be sizes and a type such as 3x224x224:float32"))
	}
	f.Close(fields)
	if *s == (Source{}) {
		return nil
	}
	return s
}

// isInput reports whether a text is sizes, with x or commas between them, a colon and a type.
func isInput(s string) bool {
	dims, dtype, ok := strings.Cut(s, ":")
	if !ok || dtype == "" || strings.Trim(dtype, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.") != "" {
		return false
	}
	for _, d := range strings.Split(strings.ReplaceAll(dims, ",", "x"), "x") {
		if d == "" || strings.Trim(d, "0123456789") != "" {
			return false
		}
	}
	return true
}

// Tell says what a call with text alone is.
func (r *Request) Tell(texts []action.TextCall) {
	if len(texts) > 0 {
		r.Text = texts[0]
	}
}
