package telemetry

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// The environment variables. Both must be set for anything to be sent.
const (
	EnvSwitch = "VERIFIER_TELEMETRY"
	EnvURL    = "VERIFIER_TELEMETRY_URL"
)

// Interval is the time between two sends.
const Interval = time.Hour

// sendTimeout bounds one send, also the last one at shutdown.
const sendTimeout = 5 * time.Second

// Config says where counts go. The zero Config is the default: nowhere.
type Config struct {
	URL string
}

// On reports whether anything is ever sent.
func (c Config) On() bool { return c.URL != "" }

// Mode is "on" or "off".
func (c Config) Mode() string {
	if c.On() {
		return "on"
	}
	return "off"
}

// FromEnv reads the two variables. A switch or a URL that cannot be understood is an error, so that nobody believes a mode
// that the process is not in.
func FromEnv(getenv func(string) string) (Config, error) {
	on, err := isOn(getenv(EnvSwitch))
	target := getenv(EnvURL)
	if err != nil || !on || target == "" {
		return Config{}, err
	}
	u, err := url.Parse(target)
	switch {
	case err != nil: // the error would repeat the value, which may hold a secret
		return Config{}, errors.New(EnvURL + " is not a URL")
	case u.Scheme != "https" && u.Scheme != "http" || u.Host == "":
		return Config{}, errors.New(EnvURL + " must be an http or https URL")
	case u.User != nil:
		return Config{}, errors.New(EnvURL + " must not hold a name or password: this process keeps no credentials")
	}
	return Config{URL: target}, nil
}

func isOn(value string) (bool, error) {
	switch strings.ToLower(value) {
	case "", "0", "off", "false", "no":
		return false, nil
	case "1", "on", "true", "yes":
		return true, nil
	}
	return false, fmt.Errorf("%s must be on or off", EnvSwitch)
}

// Run sends every interval, and once more when the context ends. Where the configuration is off it returns at once. A send
// that fails is told to failed and its counts go with the next one.
func (c *Counts) Run(ctx context.Context, cfg Config, interval time.Duration, failed func(error)) {
	if !cfg.On() {
		return
	}
	client := newClient()
	defer client.CloseIdleConnections()
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		done := false
		select {
		case <-ctx.Done():
			done = true
		case <-tick.C:
		}
		if err := c.send(context.WithoutCancel(ctx), client, cfg); err != nil {
			failed(err)
		}
		if done {
			return
		}
	}
}

// newClient follows no redirect: the operator named one receiver.
func newClient() *http.Client {
	return &http.Client{
		Transport:     &http.Transport{Proxy: http.ProxyFromEnvironment, MaxIdleConns: 1, IdleConnTimeout: time.Minute},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// ErrSend is all that is said about a send that failed: the error of the network would name addresses.
var ErrSend = errors.New("telemetry: the receiver did not take the counts")

func (c *Counts) send(ctx context.Context, client *http.Client, cfg Config) error {
	body, upTo, news := c.pending()
	if !news {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, sendTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, cfg.URL, bytes.NewReader(body))
	if err != nil {
		return ErrSend
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "verifier-server")
	resp, err := client.Do(req)
	if err != nil {
		return ErrSend
	}
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 1<<16)) // so that the connection can be used again
	_ = resp.Body.Close()
	if resp.StatusCode/100 != 2 {
		return ErrSend
	}
	c.delivered(upTo)
	return nil
}
