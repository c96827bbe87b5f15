package worker

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/modelverifier/verifier/internal/fence"
	"github.com/modelverifier/verifier/internal/training"
	"github.com/modelverifier/verifier/internal/training/protocol"
)

// errLost is that the lease belongs to nobody or to another worker: what runs under it must stop.
var errLost = errors.New("the lease is lost")

// ErrToken is that the service does not know the worker's token.
var ErrToken = errors.New("the service refuses the token: it is wrong or was revoked")

// refused is an answer that would be the same to the same call.
type refused struct {
	status int
	said   string
}

func (e *refused) Error() string { return fmt.Sprintf("the service answered %d: %s", e.status, e.said) }

// later is that a call may succeed when it is made again.
type later struct {
	err  error
	wait time.Duration // that the service asked for
}

func (e *later) Error() string { return e.err.Error() }
func (e *later) Unwrap() error { return e.err }

const (
	callTime   = 30 * time.Second
	maxAnswer  = 64 << 20 // of an assignment, which has the model's source
	firstPause = 500 * time.Millisecond
	lastPause  = 15 * time.Second
)

// api calls the service.
type api struct {
	base   string
	token  string
	client *http.Client
}

func newAPI(server, token string, client *http.Client) (*api, error) {
	u, err := url.Parse(server)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return nil, fmt.Errorf("--server is %q and must be an address such as https://verifier.example.com", server)
	}
	if client == nil {
		client = &http.Client{}
	}
	own := *client
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse } // the token is for nobody else
	return &api{strings.TrimSuffix(server, "/"), token, &own}, nil
}

// call sends JSON and reads JSON. It reports whether there was an answer with a body.
func (a *api) call(ctx context.Context, path string, body, answer any) (bool, time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	text, err := json.Marshal(body)
	if err != nil {
		return false, 0, err
	}
	res, err := a.send(ctx, http.MethodPost, path, bytes.NewReader(text), int64(len(text)), "")
	if err != nil {
		return false, 0, err
	}
	defer res.Body.Close()
	if res.StatusCode == http.StatusNoContent {
		return false, retryAfter(res), nil
	}
	if answer == nil {
		return true, 0, nil
	}
	if err := json.NewDecoder(io.LimitReader(res.Body, maxAnswer)).Decode(answer); err != nil {
		return false, 0, &later{fmt.Errorf("the answer to %s is not whole: %w", path, err), 0}
	}
	return true, 0, nil
}

// send makes a request, and turns every answer but success into an error.
func (a *api) send(ctx context.Context, method, path string, body io.Reader, size int64, digest string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, a.base+protocol.Prefix+path, body)
	if err != nil {
		return nil, err
	}
	req.ContentLength = size
	req.Header.Set("Authorization", "Bearer "+a.token)
	if digest != "" {
		req.Header.Set("Digest", "sha-256="+digest)
		req.Header.Set("Content-Type", "application/octet-stream")
	} else if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := a.client.Do(req)
	if err != nil {
		return nil, &later{err, 0}
	}
	if res.StatusCode == http.StatusOK || res.StatusCode == http.StatusNoContent {
		return res, nil
	}
	defer res.Body.Close()
	return nil, fault(res)
}

// fault reads an answer that is no success.
func fault(res *http.Response) error {
	text, _ := io.ReadAll(io.LimitReader(res.Body, 4096))
	var body struct {
		Error string `json:"error"`
		Code  string `json:"code"`
	}
	_ = json.Unmarshal(text, &body)
	said := &refused{res.StatusCode, strings.TrimSpace(body.Error + " " + body.Code)}
	switch code := res.StatusCode; {
	case code == http.StatusUnauthorized:
		return ErrToken
	case code == http.StatusConflict, code == http.StatusNotFound && strings.Contains(res.Request.URL.Path, "/jobs/"):
		return errLost
	case code == http.StatusRequestTimeout, code == http.StatusTooManyRequests, code >= 500, code == http.StatusUnprocessableEntity && strings.Contains(string(text), "digest_mismatch"):
		return &later{said, retryAfter(res)}
	}
	return said
}

func retryAfter(res *http.Response) time.Duration {
	seconds, err := strconv.Atoi(res.Header.Get("Retry-After"))
	if err != nil || seconds < 0 || seconds > 3600 {
		return 0
	}
	return time.Duration(seconds) * time.Second
}

// persist makes a call until it succeeds, fails for good, has failed so often (0: without end), or the context ends.
func persist(ctx context.Context, most int, f func() error) error {
	for n := 1; ; n++ {
		err := f()
		wait := (*later)(nil)
		if !errors.As(err, &wait) || n == most {
			return err
		}
		if !sleep(ctx, max(wait.wait, pause(n))) {
			return context.Cause(ctx)
		}
	}
}

// pause is how long to wait behind the n-th failure. Chance keeps many workers from coming back at once.
func pause(n int) time.Duration {
	p := min(lastPause, firstPause<<min(n-1, 10))
	return p/2 + rand.N(p/2)
}

func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}

func (a *api) lease(ctx context.Context, o protocol.Offer) (*protocol.Assignment, time.Duration, error) {
	var got protocol.Assignment
	some, wait, err := a.call(ctx, "lease", o, &got)
	if err != nil || !some {
		return nil, wait, err
	}
	return &got, 0, nil
}

func (a *api) beat(ctx context.Context, job, lease string) (o protocol.Orders, err error) {
	_, _, err = a.call(ctx, jobPath(job, "heartbeat"), protocol.Held{Lease: lease}, &o)
	return o, err
}

func (a *api) push(ctx context.Context, job, lease string, e training.Epoch) error {
	_, _, err := a.call(ctx, jobPath(job, "epochs"), protocol.Epochs{Lease: lease, Epochs: []training.Epoch{e}}, nil)
	return err
}

func (a *api) finish(ctx context.Context, job string, end protocol.End) error {
	_, _, err := a.call(ctx, jobPath(job, "finish"), end, nil)
	return err
}

func (a *api) release(ctx context.Context, job, lease string) error {
	_, _, err := a.call(ctx, jobPath(job, "release"), protocol.Held{Lease: lease}, nil)
	return err
}

func jobPath(job, what string) string { return "jobs/" + url.PathEscape(job) + "/" + what }

// upload sends a file under its digest, which it returns with the size.
func (a *api) upload(ctx context.Context, path, file string) (sha string, size int64, err error) {
	f, err := fence.Open(file)
	if err != nil {
		return "", 0, err
	}
	defer f.Close()
	hash := sha256.New()
	if size, err = io.Copy(hash, f); err != nil {
		return "", 0, err
	}
	if _, err = f.Seek(0, io.SeekStart); err != nil {
		return "", 0, err
	}
	sha = hex.EncodeToString(hash.Sum(nil))
	res, err := a.send(ctx, http.MethodPut, path, io.NopCloser(f), size, sha)
	if err != nil {
		return "", 0, err
	}
	return sha, size, res.Body.Close()
}

// download fetches what an earlier attempt left, and holds it against its digest.
func (a *api) download(ctx context.Context, job, lease string, c protocol.Checkpoint, file string) error {
	res, err := a.send(ctx, http.MethodGet, jobPath(job, "checkpoint")+"?lease="+url.QueryEscape(lease), nil, 0, "")
	if err != nil {
		return err
	}
	defer res.Body.Close()
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	defer f.Close()
	hash := sha256.New()
	n, err := io.Copy(io.MultiWriter(f, hash), io.LimitReader(res.Body, c.Bytes+1))
	if err != nil {
		return &later{err, 0}
	}
	if sum := hex.EncodeToString(hash.Sum(nil)); n != c.Bytes || sum != c.SHA256 {
		return &later{fmt.Errorf("the checkpoint of epoch %d has %d bytes and the SHA-256 %s, not %d and %s", c.Epoch, n, sum, c.Bytes, c.SHA256), 0}
	}
	return f.Close()
}
