package check

import (
	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/graph"
)

// Decode reads a request.
func Decode(body []byte, limits graph.Limits) (*Request, error) {
	f := action.Read(body, limits, action.Model)
	r := &Request{Model: f.Model(), Policy: f.Policy()}
	r.Data = decodeData(f)
	r.Layout = decodeLayout(f)
	decodeServe(f)
	for _, part := range []string{"serve"} {
		if _, given := f.Raw(part); given {
			f.Fail(action.Errorf(action.CodeNotServed, part, "is understood but not served yet by this version; the rest of the request is served without it"))
		}
	}
	if err := f.Err(); err != nil {
		return nil, err
	}
	return r, nil
}

func decodeServe(f *action.Fields) {
	if s := f.Object("serve"); s != nil {
		s.Str("command")
		s.GPU("gpu")
		s.Int("gpus", 1)
		f.Close(s)
	}
}
