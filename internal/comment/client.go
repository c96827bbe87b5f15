package comment

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

	"github.com/modelverifier/verifier/internal/report"
)

// ErrForbidden is that a service does not let the token write, as on a pull request from a fork.
var ErrForbidden = errors.New("may not write comments there")

// errGone is that what was to be changed is no longer there.
var errGone = errors.New("is no longer there")

// Limits of talking to a service: a job must not wait for long to say something.
const (
	attempts  = 5
	mostWait  = time.Minute // at once
	mostBytes = 32 << 20    // of an answer
	mostPages = 100
	perPage   = 100
)

// client speaks JSON to a service. The token goes into one header and nowhere else.
type client struct {
	base   string // address of the API, without a slash at the end
	header http.Header
	token  string
	http   *http.Client
	wait   func(context.Context, time.Duration) error
}

// newClient checks what would otherwise show up as an error that has the token in it.
func newClient(base, token string, header http.Header) (*client, error) {
	u, err := url.Parse(base)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil {
		return nil, errors.New("the address of the API is not one of http or https")
	}
	if strings.ContainsFunc(token, func(c rune) bool { return c <= ' ' || c > '~' }) {
		return nil, errors.New("the token has characters that no token has")
	}
	c := &client{base: strings.TrimRight(base, "/"), header: header, token: token, wait: pause}
	c.http = &http.Client{Timeout: 30 * time.Second, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse // the token is for this host alone
	}}
	return c, nil
}

func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// do sends a request, again where the service is busy, and reads the answer into out.
func (c *client) do(ctx context.Context, method, path string, body, out any) (http.Header, error) {
	var data []byte
	if body != nil {
		var err error
		if data, err = json.Marshal(body); err != nil {
			return nil, fmt.Errorf("comment: %w", err)
		}
	}
	for n := 1; ; n++ {
		header, wait, err := c.once(ctx, method, path, data, out)
		if err == nil || wait < 0 || n == attempts {
			return header, c.clean(err)
		}
		if wait == 0 {
			wait = time.Second << (n - 1)
		}
		if wait > mostWait {
			return nil, c.clean(fmt.Errorf("%w; it wants %s of patience, more than %s", err, wait.Round(time.Second), mostWait))
		}
		if err := c.wait(ctx, wait); err != nil {
			return nil, err
		}
	}
}

// once sends a request. It returns how long to wait before the next one, 0 where that is not said, below 0 where there is none.
func (c *client) once(ctx context.Context, method, path string, data []byte, out any) (http.Header, time.Duration, error) {
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, bytes.NewReader(data))
	if err != nil {
		return nil, -1, err
	}
	req.Header = c.header.Clone()
	if data != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := c.http.Do(req)
	if err != nil {
		if ctx.Err() != nil {
			return nil, -1, ctx.Err()
		}
		return nil, 0, err
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(res.Body, mostBytes+1))
	if err != nil {
		return nil, 0, err
	}
	if len(answer) > mostBytes {
		return nil, -1, fmt.Errorf("%s %s: the answer has more than %d bytes", method, path, mostBytes)
	}
	if res.StatusCode >= 300 {
		wait, err := refusal(method, path, res, answer)
		return nil, wait, err
	}
	if out != nil {
		if err := json.Unmarshal(answer, out); err != nil {
			return nil, -1, fmt.Errorf("%s %s: the answer is not what the API promises: %w", method, path, err)
		}
	}
	return res.Header, -1, nil
}

// refusal reads an answer that is none.
func refusal(method, path string, res *http.Response, answer []byte) (time.Duration, error) {
	err := fmt.Errorf("%s %s: %s%s", method, path, res.Status, said(answer))
	limited := res.StatusCode == http.StatusTooManyRequests || res.StatusCode == http.StatusForbidden &&
		(res.Header.Get("Retry-After") != "" || res.Header.Get("X-Ratelimit-Remaining") == "0")
	switch {
	case limited || res.StatusCode >= 500:
		return patience(res.Header), err
	case res.StatusCode == http.StatusUnauthorized || res.StatusCode == http.StatusForbidden:
		return -1, fmt.Errorf("%w: %w", ErrForbidden, err)
	case res.StatusCode == http.StatusNotFound || res.StatusCode == http.StatusGone:
		return -1, fmt.Errorf("%w: %w", errGone, err)
	case res.StatusCode == http.StatusBadRequest || res.StatusCode == http.StatusUnprocessableEntity:
		return -1, fmt.Errorf("%w: %w", errElsewhere, err)
	}
	return -1, err
}

// patience is how long a service wants to be left alone, 0 where it does not say.
func patience(h http.Header) time.Duration {
	if after := h.Get("Retry-After"); after != "" {
		if sec, err := strconv.ParseInt(after, 10, 32); err == nil {
			return max(time.Duration(sec)*time.Second, 0)
		}
		if at, err := http.ParseTime(after); err == nil {
			return max(time.Until(at), 0)
		}
	}
	for _, name := range []string{"X-Ratelimit-Reset", "Ratelimit-Reset"} {
		if sec, err := strconv.ParseInt(h.Get(name), 10, 64); err == nil {
			return max(time.Until(time.Unix(sec, 0))+time.Second, 0)
		}
	}
	return 0
}

// said is the message of an answer.
func said(answer []byte) string {
	var body struct {
		Message any `json:"message"`
		Error   any `json:"error"`
	}
	if json.Unmarshal(answer, &body) != nil {
		return ""
	}
	for _, m := range []any{body.Message, body.Error} {
		if m != nil {
			text := report.Plain(fmt.Sprint(m))
			return ": " + strings.ToValidUTF8(text[:min(len(text), 200)], "")
		}
	}
	return ""
}

// hidden is an error whose text has no token in it, whatever a server sent back.
type hidden struct {
	err  error
	text string
}

func (h *hidden) Error() string { return h.text }
func (h *hidden) Unwrap() error { return h.err }

func (c *client) clean(err error) error {
	if err == nil || c.token == "" || !strings.Contains(err.Error(), c.token) {
		return err
	}
	return &hidden{err, strings.ReplaceAll(err.Error(), c.token, "***")}
}
