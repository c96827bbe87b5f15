package mcp_test

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net/http"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

const token = "an-example-token-of-32-characters"

// bearer adds a token to requests.
type bearer struct{ token string }

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.token)
	return http.DefaultTransport.RoundTrip(r)
}

// overHTTP starts the program with --http at a free port, and returns its address.
func overHTTP(t *testing.T, dir string) string {
	t.Helper()
	cmd := program(t, dir, "--http", "127.0.0.1:0")
	cmd.Env = append(cmd.Env, "VERIFIER_MCP_TOKEN="+token)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		if err := cmd.Wait(); err != nil {
			t.Errorf("the server ended with %v", err)
		}
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	url, found := strings.CutPrefix(strings.TrimSpace(line), "The server is at ")
	if err != nil || !found {
		t.Fatalf("%q: %v", line, err)
	}
	return url
}

// TestClientsOverHTTPNeedTheToken calls tools with the SDK's client, and tries to reach them without the token and from another origin.
func TestClientsOverHTTPNeedTheToken(t *testing.T) {
	url := overHTTP(t, folder(t))
	connectWith := func(token string) (*sdk.ClientSession, error) {
		client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
		return client.Connect(context.Background(), &sdk.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{Transport: bearer{token}}, DisableStandaloneSSE: true}, nil)
	}
	for range 2 { // one client after the other
		s, err := connectWith(token)
		if err != nil {
			t.Fatal(err)
		}
		if r := call(t, s, "check", `{"model":"wrong.json"}`); r.failed || r.body["verdict"] != "block" {
			t.Errorf("check: %s", r.text)
		}
		if r := call(t, s, "check", `{"model":"../outside.json"}`); r.body["code"] != "outside-root" {
			t.Errorf("outside: %s", r.text)
		}
		if list, err := s.ListTools(context.Background(), nil); err != nil || len(list.Tools) != 10 {
			t.Errorf("%v: %+v", err, list)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := connectWith(token + "x"); err == nil {
		t.Error("another token is taken")
	}
	const ping = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	for _, c := range []struct {
		header, value string
		status        int
	}{
		{"", "", 401}, {"Authorization", "Bearer ", 401}, {"Authorization", token, 401}, {"Authorization", "Basic " + token, 401}, {"Authorization", "Bearer " + token[:10], 401},
		{"Origin", "https://elsewhere.example", 403}, {"Authorization", "Bearer " + token, 200},
	} {
		r, err := http.NewRequest(http.MethodPost, url, strings.NewReader(ping))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		if c.header != "" {
			r.Header.Set(c.header, c.value)
		}
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if resp.StatusCode != c.status || bytes.Contains(body, []byte(token)) {
			t.Errorf("%s %s: %d, want %d: %.200s", c.header, c.value, resp.StatusCode, c.status, body)
		}
	}
}

// TestNoServerOverHTTPWithoutAToken starts the program with tokens that are missing, short or unfit.
func TestNoServerOverHTTPWithoutAToken(t *testing.T) {
	for given, want := range map[string]string{"": "--http needs a token", "short": "has 5 characters, fewer than 22", strings.Repeat("a b", 20): "no letter, digit or sign"} {
		cmd := program(t, folder(t), "--http", "127.0.0.1:0")
		var said bytes.Buffer
		cmd.Env, cmd.Stderr = append(cmd.Env, "VERIFIER_MCP_TOKEN="+given), &said
		err := cmd.Run()
		if exit, _ := err.(*exec.ExitError); exit == nil || exit.ExitCode() != 2 || !strings.Contains(said.String(), want) {
			t.Errorf("%q: %v, %s", given, err, said.String())
		}
	}
	cmd := program(t, folder(t), "--http", "127.0.0.1:0", "--token-file", "absent")
	cmd.Stderr = io.Discard
	if err := cmd.Run(); err == nil {
		t.Error("a token file that is not there is taken")
	}
}
