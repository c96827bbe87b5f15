package httpapi

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"strings"
	"testing"
)

// fetch sends a request whose answer is left as it comes.
func (s *running) fetch(path, body, accepts string) (*http.Response, []byte) {
	s.t.Helper()
	r, err := http.NewRequest(http.MethodPost, "http://"+s.addr+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	if accepts != "" {
		r.Header.Set("Accept-Encoding", accepts)
	}
	client := &http.Client{Transport: &http.Transport{DisableCompression: true}}
	defer client.CloseIdleConnections()
	resp, err := client.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return resp, data
}

// wide is a model with so many findings that its answer is large.
func wide() string {
	var b strings.Builder
	b.WriteString(`{"model":{"components":[`)
	for i := range 200 {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(`{"type":"linear","params":{"inFeatures":3,"outFeatures":-1}}`)
	}
	return b.String() + `],"connections":[]}}`
}

func TestLargeAnswersAreCompressedForWhoAsks(t *testing.T) {
	s := start(t, nil)
	plain, want := s.fetch("/v1/lint", wide(), "")
	if len(want) < compressFrom || plain.Header.Get("Content-Encoding") != "" || plain.Header.Get("Vary") != "Accept-Encoding" {
		t.Fatalf("%d bytes, %v", len(want), plain.Header)
	}
	for accepts, packed := range map[string]bool{"gzip": true, "br, gzip;q=0.5": true, "*": true, "x-gzip": true, "GZIP": true, "gzip;q=0": false, "gzip; q=0.0, *": false,
		"identity": false, "br": false, "gzip;q=x": false, "*;q=0": false} {
		resp, got := s.fetch("/v1/lint", wide(), accepts)
		if packed != (resp.Header.Get("Content-Encoding") == "gzip") {
			t.Errorf("%q: %v", accepts, resp.Header)
			continue
		}
		if packed {
			_, again := s.fetch("/v1/lint", wide(), accepts)
			if !bytes.Equal(got, again) {
				t.Errorf("%q: equal answers are different bytes", accepts)
			}
			r, err := gzip.NewReader(bytes.NewReader(got))
			if err != nil {
				t.Fatal(err)
			}
			if got, err = io.ReadAll(r); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%q: another answer", accepts)
		}
	}
	if resp, _ := s.fetch("/v1/lint", small, "gzip"); resp.Header.Get("Content-Encoding") != "" || resp.Header.Get("Vary") != "" {
		t.Errorf("a small answer: %v", resp.Header)
	}
}

// TestHTTP2WithoutTLS speaks it from the first byte, as a proxy does, and sends many requests over one connection.
func TestHTTP2WithoutTLS(t *testing.T) {
	s := start(t, func(c *Config) { c.Limits.HTTP2 = true })
	transport := &http.Transport{Protocols: new(http.Protocols)}
	transport.Protocols.SetUnencryptedHTTP2(true)
	client := &http.Client{Transport: transport}
	defer client.CloseIdleConnections()
	for _, content := range []string{"application/json", lineType} {
		resp, err := client.Post("http://"+s.addr+"/v1/lint", content, strings.NewReader(small))
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || resp.ProtoMajor != 2 || resp.StatusCode != http.StatusOK || !strings.Contains(string(body), `"verdict":"pass"`) {
			t.Errorf("%s: %s %d %s %v", content, resp.Proto, resp.StatusCode, body, err)
		}
	}
	if got := s.post("/v1/lint", small); got.status != http.StatusOK {
		t.Errorf("HTTP/1.1 beside it: %d", got.status)
	}
}

func TestHTTP2IsOffUnlessItIsAskedFor(t *testing.T) {
	s := start(t, nil)
	transport := &http.Transport{Protocols: new(http.Protocols)}
	transport.Protocols.SetUnencryptedHTTP2(true)
	client := &http.Client{Transport: transport}
	defer client.CloseIdleConnections()
	if resp, err := client.Post("http://"+s.addr+"/v1/lint", "application/json", strings.NewReader(small)); err == nil {
		resp.Body.Close()
		t.Errorf("answered with %s", resp.Proto)
	}
}
