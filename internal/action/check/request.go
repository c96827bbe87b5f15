package check

import (
	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/graph"
)

// Data is the dataset that the model is to be trained on.
type Data struct {
	SeqLen, TokenizerSize int64
}

// Decode reads a request.
func Decode(body []byte, limits graph.Limits) (*Request, error) {
	f := action.Read(body, limits, action.Model)
	r := &Request{Model: f.Model(), Policy: f.Policy()}
	decodeData(f)
	decodeLayout(f)
	decodeServe(f)
	for _, part := range []string{"data", "layout", "serve"} {
		if _, given := f.Raw(part); given {
			f.Fail(action.Errorf(action.CodeNotServed, part, "is understood but not served yet by this version; the rest of the request is served without it"))
		}
	}
	if err := f.Err(); err != nil {
		return nil, err
	}
	return r, nil
}

func decodeData(f *action.Fields) {
	if d := f.Object("data"); d != nil {
		d.Int("seq_len", 1)
		d.Int("tokenizer_size", 1)
		f.Close(d)
	}
}

func decodeLayout(f *action.Fields) {
	if l := f.Object("layout"); l != nil {
		for _, name := range []string{"tp", "pp", "dp", "micro_batch", "global_batch", "seq_len"} {
			l.Int(name, 1)
		}
		l.GPU("gpu")
		f.Close(l)
	}
}

func decodeServe(f *action.Fields) {
	if s := f.Object("serve"); s != nil {
		s.Str("command")
		s.GPU("gpu")
		s.Int("gpus", 1)
		f.Close(s)
	}
}
