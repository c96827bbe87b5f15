package hub

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/modelverifier/verifier/internal/action"
)

// How long the hub may take, and how often it is asked again.
const (
	connectTimeout = 10 * time.Second
	answerTimeout  = 30 * time.Second
	stallTimeout   = 30 * time.Second // without a byte
	maxAttempts    = 5                // without progress
	maxWait        = time.Minute
	maxRedirects   = 5
)

// client asks the hub. The token goes to the endpoint and to no other host: files are served by others, with addresses that are signed.
type client struct {
	http     *http.Client
	endpoint *url.URL
	token    string
	agent    string
	stall    time.Duration
	sleep    func(context.Context, time.Duration) error
	received func(n int) // told of every byte
}

func newClient(env environment, agent string) (*client, error) {
	endpoint, err := env.endpoint()
	if err != nil {
		return nil, err
	}
	token, err := env.token()
	if err != nil {
		return nil, err
	}
	if agent == "" {
		agent = "verifier"
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.DialContext = (&net.Dialer{Timeout: connectTimeout}).DialContext
	transport.TLSHandshakeTimeout = connectTimeout
	transport.ResponseHeaderTimeout = answerTimeout
	transport.DisableCompression = true // ranges and sizes are those of the file
	transport.MaxIdleConnsPerHost = parallel
	return &client{
		http:     &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
		endpoint: endpoint, token: token, agent: agent, stall: stallTimeout, sleep: sleep, received: func(int) {},
	}, nil
}

func (c *client) close() { c.http.CloseIdleConnections() }

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// address is a path of the hub. Its segments are escaped here, once.
func (c *client) address(segments ...string) string {
	var b strings.Builder
	b.WriteString(c.endpoint.String())
	for _, s := range segments {
		b.WriteByte('/')
		b.WriteString(url.PathEscape(s))
	}
	return b.String()
}

// answer is what came back, with what the hub said on the way to it.
type answer struct {
	*http.Response
	commit, etag string
	size         int64 // of the whole file; -1 where the hub does not say
}

// temporary is a failure that may pass.
type temporary struct {
	err  error
	wait time.Duration // what the hub asks for, or 0
}

func (t *temporary) Error() string { return t.err.Error() }
func (t *temporary) Unwrap() error { return t.err }

// ask sends one request and follows redirects. The caller closes the body.
func (c *client) ask(ctx context.Context, method, address, bytes string) (*answer, error) {
	a := &answer{size: -1}
	at, err := url.Parse(address)
	for range maxRedirects {
		if err != nil {
			return nil, errors.New("the hub gave an address that cannot be read")
		}
		if a.Response, err = c.send(ctx, method, at, bytes); err != nil { //nolint:bodyclose // the caller closes the last one
			return nil, err
		}
		if c.trusted(at) {
			a.listen()
		}
		location := a.Header.Get("Location")
		if a.StatusCode < 300 || a.StatusCode > 399 || location == "" {
			return a, c.refusal(a, at)
		}
		a.Body.Close()
		if method == http.MethodHead && a.Header.Get("X-Linked-Etag") != "" {
			return a, nil // all that is asked for; the body would come from elsewhere
		}
		from := at
		if at, err = at.Parse(location); err == nil && (at.Scheme != "https" && at.Scheme != from.Scheme || at.Host == "") {
			return nil, fmt.Errorf("%s sends on to an address that is not https", from.Host)
		}
	}
	return nil, fmt.Errorf("%s sends on more than %d times", c.endpoint.Host, maxRedirects)
}

// trusted reports whether an address is the endpoint's.
func (c *client) trusted(u *url.URL) bool {
	return u.Scheme == c.endpoint.Scheme && u.Host == c.endpoint.Host
}

// send sends one request and follows nothing.
func (c *client) send(ctx context.Context, method string, u *url.URL, bytes string) (*http.Response, error) {
	q, err := http.NewRequestWithContext(ctx, method, u.String(), nil)
	if err != nil {
		return nil, errors.New("the hub gave an address that cannot be read")
	}
	q.Header.Set("User-Agent", c.agent)
	q.Header.Set("Accept-Encoding", "identity")
	if bytes != "" {
		q.Header.Set("Range", "bytes="+bytes)
	}
	if c.token != "" && c.trusted(u) && (u.Scheme == "https" || isLoopback(u.Hostname())) {
		q.Header.Set("Authorization", "Bearer "+c.token)
	}
	r, err := c.http.Do(q)
	if err != nil {
		return nil, &temporary{err: c.lost(ctx, u, err)}
	}
	return r, nil
}

// isLoopback reports whether a host is this machine, where a token may go without encryption.
func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// lost is the error of a connection. Those of the HTTP library repeat the address, which for files is signed and so a secret.
func (c *client) lost(ctx context.Context, u *url.URL, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		err = wrapped.Err
	}
	return fmt.Errorf("%s: %w", u.Host, err)
}

// listen takes from a response what the hub says of a file. Later responses of the hub overrule earlier ones.
func (a *answer) listen() {
	if v := a.Header.Get("X-Repo-Commit"); v != "" {
		a.commit = v
	}
	etag, size := a.Header.Get("X-Linked-Etag"), a.Header.Get("X-Linked-Size")
	if etag == "" && a.StatusCode < 300 {
		etag = a.Header.Get("Etag")
	}
	if etag != "" {
		a.etag = strings.Trim(strings.TrimPrefix(etag, "W/"), `"`)
	}
	if size == "" && a.StatusCode == http.StatusOK {
		size = a.Header.Get("Content-Length")
	}
	if n, err := strconv.ParseInt(size, 10, 64); err == nil && n >= 0 {
		a.size = n
	}
}

// maxMessage is how much of the hub's own words is repeated.
const maxMessage = 200

// refusal is the error of a status that is none of success.
func (c *client) refusal(a *answer, u *url.URL) error {
	if a.StatusCode >= 200 && a.StatusCode < 300 {
		return nil
	}
	a.Body.Close()
	code, words := a.Header.Get("X-Error-Code"), clean(a.Header.Get("X-Error-Message"))
	said := ""
	if words != "" {
		said = " (" + words + ")"
	}
	switch {
	case a.StatusCode == http.StatusTooManyRequests || a.StatusCode == http.StatusRequestTimeout || a.StatusCode >= 500:
		return &temporary{fmt.Errorf("%s answers %d%s", u.Host, a.StatusCode, said), retryAfter(a.Header, time.Now())}
	case code == "GatedRepo":
		return errors.New("is gated: accept its terms on its page, and set HF_TOKEN to a token that may read it" + said)
	case code == "RevisionNotFound":
		return errors.New("has no such revision")
	case code == "EntryNotFound":
		return errors.New("has no such file")
	case strings.Contains(words, "Invalid credentials"):
		return errors.New("the hub does not accept the token (HF_TOKEN, or the file that huggingface-cli login wrote)")
	case code == "RepoNotFound" || a.StatusCode == http.StatusUnauthorized || a.StatusCode == http.StatusNotFound:
		return errors.New("is not on the hub, or is private: then set HF_TOKEN to a token that may read it")
	}
	return fmt.Errorf("%s answers %d%s", u.Host, a.StatusCode, said)
}

// clean makes a server's words fit for a terminal.
func clean(s string) string {
	s = strings.Map(func(c rune) rune {
		if c < ' ' || c >= 0x7f && c < 0xa0 || c == '\uFFFD' {
			return -1
		}
		return c
	}, s)
	if len(s) > maxMessage {
		s = strings.ToValidUTF8(s[:maxMessage], "") + "…"
	}
	return s
}

// retryAfter reads how long the hub asks to wait.
func retryAfter(h http.Header, now time.Time) time.Duration {
	v := strings.TrimSpace(h.Get("Retry-After"))
	if n, err := strconv.Atoi(v); err == nil && n >= 0 {
		return time.Duration(min(n, 1<<30)) * time.Second
	}
	if t, err := http.ParseTime(v); err == nil {
		return max(t.Sub(now), 0)
	}
	return 0
}

// persist calls f until it succeeds, fails for good, or has failed too often without progress. f reports whether it got further.
func (c *client) persist(ctx context.Context, f func() (progress bool, err error)) error {
	for failed := 0; ; {
		progress, err := f()
		if err == nil {
			return nil
		}
		var t *temporary
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if !errors.As(err, &t) {
			return err
		}
		if progress {
			failed = 0
		}
		failed++
		if failed >= maxAttempts {
			return fmt.Errorf("after %d attempts: %w", failed, err)
		}
		wait := time.Second << (failed - 1)
		if t.wait > 0 {
			wait = t.wait
		}
		if wait > maxWait {
			return fmt.Errorf("%w; the hub asks to wait %v", err, wait)
		}
		if err := c.sleep(ctx, wait); err != nil {
			return err
		}
	}
}

// readSome reads a body into a buffer until it is full or the body ends, and gives up when nothing comes for too long.
func (c *client) readSome(cancel context.CancelFunc, body io.Reader, into []byte) (int, error) {
	watch := time.AfterFunc(c.stall, cancel)
	defer watch.Stop()
	n := 0
	for n < len(into) {
		m, err := body.Read(into[n:])
		n += m
		c.received(m)
		if err != nil {
			return n, err
		}
		watch.Reset(c.stall)
	}
	return n, nil
}

func downloadError(ref, format string, args ...any) error {
	return action.Errorf(action.CodeDownload, ref, format, args...)
}
