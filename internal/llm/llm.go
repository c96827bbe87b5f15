// Package llm asks a language model of a provider, over the two public wire formats: Anthropic's Messages API and OpenAI's Chat
// Completions, which other providers and serving engines speak too.
//
// It must not know what is asked or what the answer is for: texts go in, a text comes out. The key goes to the address that the
// operator named and to nobody else; it is in no error and no log, and neither is anything that was asked or answered.
package llm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Config is how a provider is reached. The zero values of its bounds stand for the defaults.
type Config struct {
	Format    string        // messages or chat
	URL       string        // base address, as the providers' own libraries take it; empty: the public one of the format
	Model     string        //
	Key       Key           // empty: none is sent, as a serving engine of one's own may want it
	MaxTokens int           // of an answer
	Timeout   time.Duration // of all attempts together
	Attempts  int           //
	MaxBytes  int64         // of an answer
	// Wait passes the time between attempts; nil: the clock does. It ends early with the context.
	Wait func(ctx context.Context, d time.Duration) error
}

// The defaults. A provider's own libraries try three times.
const (
	DefaultMaxTokens = 8192
	DefaultTimeout   = 2 * time.Minute
	DefaultAttempts  = 3
	DefaultMaxBytes  = 1 << 20

	firstWait = 500 * time.Millisecond // before the second attempt; doubles
	lastWait  = 8 * time.Second
)

// Key is an API key. It prints as a word, so that no log and no error can hold it. It is kept in a function because fmt prints
// unexported fields of a struct without asking their String.
type Key struct{ secret func() string }

// NewKey keeps a key; spaces and line ends around it, as files have them, are none of it.
func NewKey(value string) Key {
	value = strings.TrimSpace(value)
	return Key{func() string { return value }}
}

func (k Key) value() string {
	if k.secret == nil {
		return ""
	}
	return k.secret()
}

func (Key) String() string   { return "[key]" }
func (Key) GoString() string { return "[key]" }

// MarshalText keeps it out of JSON, and of what slog writes.
func (Key) MarshalText() ([]byte, error) { return []byte("[key]"), nil }

// Question is what a model is asked: what it is for, and the one message of the user.
type Question struct{ System, User string }

// Answer is what it said.
type Answer struct {
	Text  string
	Model string // that answered, as the provider names it
	Cut   bool   // it ended at the most tokens that an answer may have
}

// Client asks one provider.
type Client struct {
	config Config
	format format
	url    string
	http   *http.Client
}

// New makes a client. Its errors name the setting that is wrong.
func New(c Config) (*Client, error) {
	f, known := formats[c.Format]
	if !known {
		return nil, fmt.Errorf("the format of the provider is %q but must be one of %s", c.Format, strings.Join(Formats(), ", "))
	}
	if c.URL == "" {
		c.URL = f.public
	}
	u, err := url.Parse(c.URL)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, fmt.Errorf("the address of the provider must be http or https, a host and a path alone, such as %s", f.public)
	}
	if c.Model == "" {
		return nil, errors.New("no model of the provider is named")
	}
	if strings.ContainsFunc(c.Key.value(), func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, errors.New("the key of the provider has spaces or other characters that no key has")
	}
	c.MaxTokens, c.Attempts = or(c.MaxTokens, DefaultMaxTokens), or(c.Attempts, DefaultAttempts)
	c.Timeout, c.MaxBytes = or(c.Timeout, DefaultTimeout), or(c.MaxBytes, DefaultMaxBytes)
	if c.Wait == nil {
		c.Wait = sleep
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	return &Client{config: c, format: f, url: strings.TrimRight(c.URL, "/") + f.path, http: &http.Client{Transport: transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}, nil
}

func or[N int | int64 | time.Duration](n, otherwise N) N {
	if n > 0 {
		return n
	}
	return otherwise
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Timeout is how long Ask takes at the most.
func (c *Client) Timeout() time.Duration { return c.config.Timeout }

// Error is a provider that gave no answer. Its text is ours: nothing of what the provider wrote, which may repeat what it was
// sent.
type Error struct {
	Status     int           // 0 where it did not answer
	Kind       string        // the provider's own word for the error, where it is one
	RetryAfter time.Duration // how long it asks to wait; 0 where it does not say
	text       string
	again      bool // another attempt may help
}

func (e *Error) Error() string { return "provider unavailable: " + e.text }

// Ask sends a question, again where that may help, and returns the answer. Every error but the context's own is an *Error.
func (c *Client) Ask(ctx context.Context, q Question) (Answer, error) {
	body, err := c.format.encode(c.config, q)
	if err != nil {
		return Answer{}, fmt.Errorf("llm: encode: %w", err)
	}
	within, cancel := context.WithTimeout(ctx, c.config.Timeout)
	defer cancel()
	wait := firstWait
	for attempt := 1; ; attempt++ {
		answer, err := c.try(within, body)
		if err == nil {
			return answer, nil
		}
		e := (*Error)(nil)
		if !errors.As(err, &e) || ctx.Err() != nil {
			return Answer{}, cause(ctx, err)
		}
		pause := max(wait, e.RetryAfter)
		if end, _ := within.Deadline(); !e.again || attempt >= c.config.Attempts || within.Err() != nil || time.Until(end) <= pause {
			return Answer{}, e
		}
		if c.config.Wait(within, pause) != nil {
			return Answer{}, cause(ctx, e)
		}
		wait = min(2*wait, lastWait)
	}
}

// cause is the error of a caller who has gone, or else the one that was met.
func cause(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// try sends a question once.
func (c *Client) try(ctx context.Context, body []byte) (Answer, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(body))
	if err != nil {
		return Answer{}, &Error{text: "its address cannot be used"}
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json")
	c.format.sign(r.Header, c.config.Key.value())
	resp, err := c.http.Do(r)
	if err != nil {
		return Answer{}, unreached(ctx, err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(io.LimitReader(resp.Body, c.config.MaxBytes+1))
	switch {
	case err != nil:
		return Answer{}, unreached(ctx, err)
	case int64(len(data)) > c.config.MaxBytes:
		return Answer{}, &Error{Status: resp.StatusCode, text: fmt.Sprintf("its answer is larger than %d bytes, and was cut off", c.config.MaxBytes)}
	case resp.StatusCode != http.StatusOK:
		return Answer{}, refused(resp, c.format.kind(data))
	}
	return c.format.decode(data)
}

// unreached is the error of a provider that did not answer. The transport's own error may name the address, which is the
// operator's, so that it goes no further.
func unreached(ctx context.Context, err error) error {
	timeout := interface{ Timeout() bool }(nil)
	if ctx.Err() != nil || errors.As(err, &timeout) && timeout.Timeout() {
		return &Error{text: "it did not answer in time", again: true}
	}
	return &Error{text: "it could not be reached, or broke off", again: true}
}

// refused is the error of an answer with another status than 200.
func refused(resp *http.Response, kind string) error {
	e := &Error{Status: resp.StatusCode, Kind: kind, RetryAfter: retryAfter(resp.Header.Get("Retry-After"), time.Now())}
	e.again = e.Status == http.StatusTooManyRequests || e.Status == http.StatusRequestTimeout || e.Status >= 500
	e.text = "it answered with status " + strconv.Itoa(e.Status)
	if kind != "" {
		e.text += " (" + kind + ")"
	}
	return e
}

// retryAfter reads the header: seconds, or a date.
func retryAfter(value string, now time.Time) time.Duration {
	if n, err := strconv.ParseInt(strings.TrimSpace(value), 10, 32); err == nil && n >= 0 {
		return time.Duration(n) * time.Second
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(0, at.Sub(now))
	}
	return 0
}
