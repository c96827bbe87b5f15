// Package client is the HTTP client of the hosted service: training jobs and history, for the command line and for agents.
//
// The key goes to the server that was named and to nobody else: no redirect is followed. Errors say what to do, and never hold the
// key. The package knows no terminal.
package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/modelverifier/verifier/internal/action/train"
	"github.com/modelverifier/verifier/internal/training"
)

// The variables that stand for what is not given.
const (
	URLVariable = "VERIFIER_URL"
	KeyVariable = "VERIFIER_API_KEY"
)

// Client calls one server under one key.
type Client struct {
	base, key, agent string
	http             *http.Client
	patience         time.Duration
}

const (
	timeout   = 60 * time.Second
	patience  = 20 * time.Second // for a worker to find a dataset: it looks every five seconds, and reads every file
	mostBytes = 64 << 20         // of an answer
)

// New makes a client of a server, whose address is a scheme and a host.
func New(server, key, agent string) (*Client, error) {
	if server == "" {
		return nil, fmt.Errorf("no server is named: give --server, such as https://www.example.org, or set %s", URLVariable)
	}
	u, err := url.Parse(server)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" || strings.Trim(u.Path, "/") != "" {
		return nil, fmt.Errorf("the server is %q but takes a scheme and a host alone, such as https://www.example.org", server)
	}
	switch key = strings.TrimSpace(key); {
	case key == "":
		return nil, fmt.Errorf("no key for %s: set %s to one that was made in Settings, Developer API", u.Host, KeyVariable)
	case strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }):
		return nil, fmt.Errorf("%s is no key: keys are letters and digits that begin with mv_", KeyVariable)
	}
	return &Client{base: u.Scheme + "://" + u.Host, key: key, agent: agent, patience: patience, http: &http.Client{Timeout: timeout, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse // the key is for the server that was named
	}}}, nil
}

// Server is the scheme and host that is called.
func (c *Client) Server() string { return c.base }

// Error is an answer that is none: a refusal of the server's, with its own words.
type Error struct {
	Status     int
	Code       string
	Message    string
	RetryAfter string
	Body       []byte // as it came
	lacking    bool   // who could run the job has everything but its dataset
}

func (e *Error) Error() string {
	text := fmt.Sprintf("the server answered %d: %s", e.Status, e.Message)
	if e.RetryAfter != "" {
		text += "; try again in " + e.RetryAfter + " s"
	}
	return text
}

// Submitted is the answer to a run that was booked.
type Submitted struct {
	JobID   string          `json:"job_id"`
	Mode    string          `json:"mode"`
	Backend string          `json:"backend"`
	Config  training.Config `json:"config"`
	Text    string          `json:"text"`
	Body    []byte          `json:"-"` // as it came
}

// Blocked is a design that the server refuses: nothing was booked.
type Blocked struct {
	Text string
	Body []byte // as it came
}

func (b *Blocked) Error() string { return "the design is blocked, and nothing was booked" }

// Train submits a run. A worker says which datasets it has when it asks for work, every few seconds: while the server answers that nothing
// but the dataset is missing, Train says so once to waiting, if that is not nil, and asks again for as long as a worker takes.
func (c *Client) Train(ctx context.Context, body []byte, waiting func()) (*Submitted, error) {
	out, err := c.submit(ctx, body)
	for end := time.Now().Add(c.patience); time.Now().Before(end); out, err = c.submit(ctx, body) {
		wait, lacks := lacksData(err)
		if !lacks {
			break
		}
		if waiting != nil {
			waiting()
			waiting = nil
		}
		select {
		case <-ctx.Done():
			return out, ctx.Err()
		case <-time.After(wait):
		}
	}
	return out, err
}

// lacksData says whether a run was refused because no worker has its dataset yet, and how long to wait before it is asked for again.
func lacksData(err error) (time.Duration, bool) {
	e := (*Error)(nil)
	if !errors.As(err, &e) || !e.lacking {
		return 0, false
	}
	seconds, err := strconv.Atoi(e.RetryAfter)
	return time.Duration(seconds) * time.Second, err == nil && seconds > 0
}

func (c *Client) submit(ctx context.Context, body []byte) (*Submitted, error) {
	out := &Submitted{}
	got, err := c.call(ctx, http.MethodPost, "", body, out)
	out.Body = got
	if e := (*Error)(nil); errors.As(err, &e) && e.Status == http.StatusUnprocessableEntity && e.Message == train.ErrorBlocked {
		blocked := &Blocked{Body: e.Body}
		if json.Unmarshal(e.Body, blocked) == nil {
			err = blocked
		}
	}
	return out, err
}

// Job reads a job, as decoded and as it came.
func (c *Client) Job(ctx context.Context, id string) (*train.Job, []byte, error) {
	out := &train.Job{}
	body, err := c.call(ctx, http.MethodGet, "?job="+url.QueryEscape(id), nil, out)
	return out, body, err
}

// Cancel asks for the end of a job.
func (c *Client) Cancel(ctx context.Context, id string) (*train.Job, []byte, error) {
	out := &train.Job{}
	body, err := c.call(ctx, http.MethodDelete, "?job="+url.QueryEscape(id), nil, out)
	return out, body, err
}

// Jobs reads a page of the list, those behind an id.
func (c *Client) Jobs(ctx context.Context, after string) (*train.Page, []byte, error) {
	query := ""
	if after != "" {
		query = "?after=" + url.QueryEscape(after)
	}
	out := &train.Page{}
	body, err := c.call(ctx, http.MethodGet, query, nil, out)
	return out, body, err
}

// Outcome is what became of one run of a structure. What was not said of it is nil.
type Outcome struct {
	At         string   `json:"at"`
	Metric     string   `json:"metric"`
	Value      float64  `json:"value"`
	Epochs     *int64   `json:"epochs"`
	WallSec    *float64 `json:"wallSec"`
	EstCostUSD *float64 `json:"estCostUsd"`
	Source     string   `json:"source"`
}

// History reads the organisation's outcomes of a structure, newest first.
func (c *Client) History(ctx context.Context, fingerprint string) ([]Outcome, error) {
	var out struct {
		Rows []Outcome `json:"rows"`
	}
	_, err := c.send(ctx, http.MethodGet, "/api/v1/history?fingerprint="+url.QueryEscape(fingerprint), nil, &out)
	return out.Rows, err
}

// call is a call about jobs.
func (c *Client) call(ctx context.Context, method, query string, body []byte, into any) ([]byte, error) {
	return c.send(ctx, method, "/api/v1/train"+query, body, into)
}

// send sends a request and reads the answer.
func (c *Client) send(ctx context.Context, method, path string, body []byte, into any) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, method, c.base+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", "Bearer "+c.key)
	r.Header.Set("User-Agent", c.agent)
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	resp, err := c.http.Do(r)
	if err != nil {
		return nil, c.unreachable(err)
	}
	defer func() { _ = resp.Body.Close() }()
	data, err := io.ReadAll(io.LimitReader(resp.Body, mostBytes))
	switch {
	case err != nil:
		return nil, c.unreachable(err)
	case resp.StatusCode >= 300 && resp.StatusCode < 400:
		return nil, c.elsewhere(resp)
	case resp.StatusCode != http.StatusOK:
		return nil, refusal(resp, data)
	}
	if err := json.Unmarshal(data, into); err != nil {
		return nil, fmt.Errorf("%s does not answer as the service does: %w", c.base, err)
	}
	return data, nil
}

// ErrUnreachable is that the server did not answer.
var ErrUnreachable = errors.New("does not answer")

// unreachable leaves the address of the request out, which url.Error repeats.
func (c *Client) unreachable(err error) error {
	if e := (*url.Error)(nil); errors.As(err, &e) {
		err = e.Err
	}
	return fmt.Errorf("%s %w: %w", c.base, ErrUnreachable, err)
}

// elsewhere teaches the address that a redirect names.
func (c *Client) elsewhere(resp *http.Response) error {
	to, err := resp.Location()
	if err != nil {
		return fmt.Errorf("%s answered %d without saying where to", c.base, resp.StatusCode)
	}
	return fmt.Errorf("%s sends to %s://%s, and keys are not sent on: use that address as --server or %s, if you trust it", c.base, to.Scheme, to.Host, URLVariable)
}

// advice is what to do about a status.
var advice = map[int]string{
	http.StatusUnauthorized: "the key is missing, wrong or revoked: set " + KeyVariable + " to one that was made in Settings, Developer API",
	http.StatusNotFound:     "No such job under this key.",
}

func refusal(resp *http.Response, data []byte) error {
	e := &Error{Status: resp.StatusCode, RetryAfter: resp.Header.Get("Retry-After"), Body: data}
	var body struct{ Error, Code string }
	_ = json.Unmarshal(data, &body) // what is no JSON says nothing
	e.Message, e.Code = body.Error, body.Code
	switch {
	case body.Error == "gpu_not_configured" && e.RetryAfter != "":
		e.Message, e.lacking = "no worker that could run this job has its dataset: verifier-worker data brings it", true
	case body.Error == "gpu_not_configured":
		e.Message = "no worker and no cluster can run this job now: start verifier-worker, or ask for another --gpu"
	case advice[e.Status] != "" && (body.Error == "" || e.Status == http.StatusUnauthorized):
		e.Message = advice[e.Status]
	case body.Error == "":
		e.Message = http.StatusText(e.Status)
	}
	return e
}
