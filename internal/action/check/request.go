package check

import (
	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/graph"
)

// Decode reads a request.
func Decode(body []byte, limits graph.Limits) (*Request, error) {
	return DecodeIn(new(action.Room), body, limits)
}

// DecodeIn is the same in memory that was used before, in which Run works too. The request and its answer are good until the room
// is cleared.
func DecodeIn(room *action.Room, body []byte, limits graph.Limits) (*Request, error) {
	f := room.Read(body, limits, action.Model)
	r := &Request{Model: f.Model(), Policy: f.Policy(), Notes: f.Notes(), room: room}
	r.Data = decodeData(f)
	r.Layout = decodeLayout(f)
	r.Serve = decodeServe(f)
	if err := f.Err(); err != nil {
		return nil, err
	}
	return r, nil
}

// Tell says what a call with text alone is.
func (r *Request) Tell(texts []action.TextCall) {
	if len(texts) > 0 {
		r.Text = texts[0]
	}
}
