package httpapi

import (
	"io"
	"net/http"
	"time"
)

// paced is a body that must arrive at a least rate: who sends a byte now and then holds a place that others wait for. The time
// that is left grows with what has arrived, up to what header and body may take together.
type paced struct {
	io.ReadCloser
	control  *http.ResponseController
	limits   *Limits
	began    time.Time
	received int64
	deadline time.Time // that is set
}

// pace puts a least rate on the body of a request, if there is one. The request that net/http made stays as it is, because it
// looks there for a body of its own when it decides what to do with the rest of one.
func (s *Server) pace(w http.ResponseWriter, r *http.Request, began time.Time) *http.Request {
	if r.Body == nil || r.Body == http.NoBody || s.routes[r.URL.Path].lines && hasLines(r) || // deadlines of their own
		s.Limits.BodyRate == 0 || s.Edition != nil && s.Edition.Long != nil && s.Edition.Long(r) {
		return r
	}
	with := r.WithContext(r.Context())
	p := &paced{ReadCloser: r.Body, control: http.NewResponseController(w), limits: &s.Limits, began: began, deadline: began.Add(min(s.Limits.BodyWait, s.Limits.Read))}
	_ = p.control.SetReadDeadline(p.deadline) // also where nobody reads it: net/http then waits for the rest before it answers
	with.Body = p
	return with
}

func (p *paced) Read(b []byte) (int, error) {
	last := p.began.Add(p.limits.Read)
	due := p.began.Add(p.limits.BodyWait + time.Duration(float64(p.received)/float64(p.limits.BodyRate)*float64(time.Second)))
	if due.After(last) {
		due = last
	}
	if due.Sub(p.deadline) > p.limits.BodyWait/4 { // moving a deadline costs something
		p.deadline = due
		_ = p.control.SetReadDeadline(due) // what cannot set one, as in tests of handlers, has none
	}
	n, err := p.ReadCloser.Read(b)
	p.received += int64(n)
	if err == io.EOF {
		// While the answer is made, net/http listens for a caller who leaves: it must not take our deadline for that.
		_ = p.control.SetReadDeadline(last)
	}
	return n, err
}
