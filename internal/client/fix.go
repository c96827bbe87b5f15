package client

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"
)

// fixTimeout is how long fix may take: the service waits for a language model.
const fixTimeout = 6 * time.Minute

// Fixed is what fix answers.
type Fixed struct {
	Patches   []FixedPatch `json:"patches"`
	Rationale string       `json:"rationale"`
	Model     string       `json:"model"`
	Body      []byte       `json:"-"` // as it came
}

// FixedPatch is a change of one file.
type FixedPatch struct {
	Path          string   `json:"path"`
	Diff          string   `json:"diff"`
	FindingTitles []string `json:"findingTitles"`
	Proved        bool     `json:"proved"`
}

// Fix has the service mend files. Where it could not mend all of them, because its provider gave no answer or none that could be used,
// what it did mend comes with the error.
func (c *Client) Fix(ctx context.Context, body []byte) (*Fixed, error) {
	patient := *c
	longer := *c.http
	longer.Timeout = fixTimeout
	patient.http = &longer
	out := &Fixed{}
	got, err := patient.send(ctx, http.MethodPost, "/api/v1/fix", body, out)
	out.Body = got
	if e := (*Error)(nil); errors.As(err, &e) && json.Unmarshal(e.Body, out) == nil {
		out.Body = e.Body
	}
	return out, err
}
