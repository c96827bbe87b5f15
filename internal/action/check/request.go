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
	r.Serve = decodeServe(f)
	if err := f.Err(); err != nil {
		return nil, err
	}
	return r, nil
}
