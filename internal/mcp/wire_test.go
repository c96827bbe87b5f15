package mcp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// raw is a client of our own that knows nothing but lines: what no SDK sends can be sent with it.
type raw struct {
	t   testing.TB
	in  io.WriteCloser
	out *bufio.Reader
	end func() error
}

type message struct {
	ID     json.RawMessage
	Method string
	Result json.RawMessage
	Error  *struct {
		Code    int
		Message string
	}
}

const hello = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}`

func start(t testing.TB, dir string, args ...string) *raw {
	t.Helper()
	cmd := program(t, dir, args...)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	r := &raw{t, in, bufio.NewReaderSize(out, 1<<20), cmd.Wait}
	r.send(hello)
	if m := r.next(); m.Error != nil {
		t.Fatalf("initialize: %v", m.Error)
	}
	r.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return r
}

func (r *raw) send(line string) {
	r.t.Helper()
	if _, err := io.WriteString(r.in, line+"\n"); err != nil {
		r.t.Fatal(err)
	}
}

func (r *raw) next() message {
	r.t.Helper()
	line, err := r.out.ReadBytes('\n')
	if err != nil {
		r.t.Fatalf("no answer: %v", err)
	}
	var m message
	if err := json.Unmarshal(line, &m); err != nil {
		r.t.Fatalf("%s: %v", line, err)
	}
	return m
}

// close ends the input, and holds that the program ends well.
func (r *raw) close() {
	r.t.Helper()
	if err := r.in.Close(); err != nil {
		r.t.Error(err)
	}
	if rest, _ := io.ReadAll(r.out); len(rest) > 0 {
		r.t.Errorf("more answers than questions: %s", rest)
	}
	if err := r.end(); err != nil {
		r.t.Errorf("the server ended with %v", err)
	}
}

// TestWhatIsNoMessageIsAnsweredAndTheServerGoesOn sends what a broken client would.
func TestWhatIsNoMessageIsAnsweredAndTheServerGoesOn(t *testing.T) {
	r := start(t, folder(t))
	huge := strings.Repeat("x", 17<<20)
	for i, c := range []struct {
		line, id string
		code     int
	}{
		{"nonsense", "null", -32700}, {`{"jsonrpc":"2.0","id":7,"method":`, "7", -32700}, {"\xff\xfe", "null", -32700}, {`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, "null", -32600},
		{`{"id":8,"method":"ping"}`, "8", -32600}, {`5`, "null", -32600}, {`{"jsonrpc":"2.0","id":"late","method":"nowhere"}`, `"late"`, -32601},
		{`{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"nothing"}}`, "9", -32602}, {`{"jsonrpc":"2.0","id":10,"method":"tools/call","params":5}`, "10", 0},
		{`{"jsonrpc":"2.0","id":11,"method":"tools/call","params":{"name":"check","arguments":{"model":"` + huge + `"}}}`, "11", -32600},
		{`{"method":"tools/call","params":{"name":"check","arguments":{"model":"` + huge + `"}},"jsonrpc":"2.0","id":12}`, "12", -32600},
		{strings.Repeat("[", 100_000), "null", 0}, {`{"jsonrpc":"2.0","id":13,"method":"ping","params":` + strings.Repeat(`{"a":`, 20_000) + "1" + strings.Repeat("}", 20_000) + `}`, "", 0},
	} {
		r.send(c.line)
		m := r.next()
		if m.Error == nil || c.code != 0 && m.Error.Code != c.code || c.id != "" && string(m.ID) != c.id {
			t.Errorf("%d: %.80s: id %s, error %+v, want id %s, code %d", i, c.line, m.ID, m.Error, c.id, c.code)
		}
	}
	r.send("")
	r.send("  \r")
	r.send(`{"jsonrpc":"2.0","id":99,"method":"tools/call","params":{"name":"check","arguments":{"model":"right.json"}}}` + "\r")
	if m := r.next(); string(m.ID) != "99" || m.Error != nil || !strings.Contains(string(m.Result), `"verdict":"ask"`) {
		t.Errorf("the server does not serve any more: %s %v %s", m.ID, m.Error, m.Result)
	}
	r.close()
}

// TestWhatWasAskedIsAnsweredBeforeTheEnd pipes questions in and closes the pipe at once, as a shell does.
func TestWhatWasAskedIsAnsweredBeforeTheEnd(t *testing.T) {
	r := start(t, folder(t))
	var all strings.Builder
	for i := range 50 {
		fmt.Fprintf(&all, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"plan","arguments":{"model":"llm"}}}`+"\n", i+1)
	}
	if _, err := io.WriteString(r.in, strings.TrimSuffix(all.String(), "\n")); err != nil { // the last line has no end
		t.Fatal(err)
	}
	if err := r.in.Close(); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for range 50 {
		m := r.next()
		if m.Error != nil {
			t.Fatalf("%s: %v", m.ID, m.Error)
		}
		seen[string(m.ID)] = true
	}
	if len(seen) != 50 {
		t.Errorf("%d answers", len(seen))
	}
	if err := r.end(); err != nil {
		t.Errorf("the server ended with %v", err)
	}
}

// TestACancelledCallEndsAndOthersGoOn sends more work than there are processors, and cancels the last.
func TestACancelledCallEndsAndOthersGoOn(t *testing.T) {
	r := start(t, folder(t))
	parts := make([]string, 1900)
	for i := range parts {
		parts[i] = fmt.Sprintf(`{"id":"c%d","type":"linear","params":{"inFeatures":%d,"outFeatures":%d}}`, i, i+1, i+2)
	}
	big := `{"components":[` + strings.Join(parts, ",") + `]}`
	const calls = 12
	for i := 1; i <= calls; i++ {
		r.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"plan","arguments":{"model":%s}}}`, i, big))
	}
	r.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d,"reason":"no longer wanted"}}`, calls))
	answered, cancelled := 0, false
	for range calls {
		m := r.next()
		if m.Error == nil {
			answered++
		} else if string(m.ID) == fmt.Sprint(calls) {
			cancelled = true
		} else {
			t.Errorf("%s was not cancelled: %v", m.ID, m.Error)
		}
	}
	if answered < calls-1 || answered+map[bool]int{true: 1}[cancelled] != calls {
		t.Errorf("%d answered, cancelled %v", answered, cancelled)
	}
	t.Logf("the last was cancelled in time: %v", cancelled)
	r.close()
}

func TestTheSDKsClientCancels(t *testing.T) {
	s := connect(t, folder(t), nil)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := s.CallTool(ctx, &sdk.CallToolParams{Name: "check", Arguments: json.RawMessage(`{"model":"right.json"}`)}); err == nil {
		t.Error("a call that was cancelled before it was sent is answered")
	}
	if r := call(t, s, "check", `{"model":"right.json"}`); r.failed {
		t.Error(r.text)
	}
}

func TestResources(t *testing.T) {
	dir := folder(t)
	s := connect(t, dir, nil, "wrong.json")
	list, err := s.ListResources(context.Background(), nil)
	if err != nil || len(list.Resources) != 5 {
		t.Fatalf("%v: %d resources", err, len(list.Resources))
	}
	for _, r := range list.Resources {
		got, err := s.ReadResource(context.Background(), &sdk.ReadResourceParams{URI: r.URI})
		if err != nil || got.Contents[0].Text == "" || got.Contents[0].MIMEType != r.MIMEType {
			t.Errorf("%s: %v", r.URI, err)
		}
	}
	for uri, want := range map[string]string{
		"verifier://graph": `"in_features":15`, "verifier://picture": "<svg", "verifier://graph/llm/config.json": "components", "verifier://graph/right.json": `"in_features":16`, "verifier://picture/net.graph": "<svg", "verifier://rule/cycle": "cycle (block)",
		"verifier://type/linear": "linear", "verifier://model/resnet18": `"components"`, "verifier://models": "resnet18 (", "verifier://rules": "cycle (block): ", "verifier://types": "conv2d (convolution): ",
	} {
		got, err := s.ReadResource(context.Background(), &sdk.ReadResourceParams{URI: uri})
		if err != nil || !strings.Contains(got.Contents[0].Text, want) {
			t.Errorf("%s: %v", uri, err)
		}
	}
	for _, uri := range []string{"verifier://graph/../secret.json", "verifier://graph/%2e%2e%2fsecret.json", "verifier://graph//etc/passwd", "verifier://graph/absent.json", "verifier://rule/absent", "verifier://type/absent", "verifier://model/absent", "verifier://nothing", "file:///etc/passwd", "verifier://graphs"} {
		if got, err := s.ReadResource(context.Background(), &sdk.ReadResourceParams{URI: uri}); err == nil {
			t.Errorf("%s is read: %.100s", uri, got.Contents[0].Text)
		}
	}
}

// TestTheFileIsWatched subscribes to the model and its picture, and changes the file.
func TestTheFileIsWatched(t *testing.T) {
	dir := folder(t)
	updates := make(chan string, 16)
	s := connect(t, dir, &sdk.ClientOptions{ResourceUpdatedHandler: func(_ context.Context, r *sdk.ResourceUpdatedNotificationRequest) { updates <- r.Params.URI }}, "wrong.json")
	for _, uri := range []string{"verifier://graph", "verifier://picture", "verifier://rule/cycle"} {
		if err := s.Subscribe(context.Background(), &sdk.SubscribeParams{URI: uri}); err != nil {
			t.Fatalf("%s: %v", uri, err)
		}
	}
	told, end := map[string]bool{}, time.After(20*time.Second)
	again := time.NewTicker(300 * time.Millisecond)
	defer again.Stop()
	for text := right; len(told) < 2; {
		select {
		case uri := <-updates:
			told[uri] = true
		case <-again.C: // the client does not say when the server has begun to watch, so the file changes until it tells
			text += "\n"
			if err := os.WriteFile(filepath.Join(dir, "wrong.json"), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		case <-end:
			t.Fatalf("not told: %v", told)
		}
	}
	if r := call(t, s, "check", `{}`); r.body["verdict"] != "ask" {
		t.Errorf("the change is not seen: %s", r.text)
	}
	if err := s.Unsubscribe(context.Background(), &sdk.UnsubscribeParams{URI: "verifier://graph"}); err != nil {
		t.Error(err)
	}
}

// TestOlderClientsAreToldToo subscribes as clients before the revision of 2026-07-28 do.
func TestOlderClientsAreToldToo(t *testing.T) {
	dir := folder(t)
	r := start(t, dir, "wrong.json")
	for i, uri := range []string{"verifier://graph/../x.json", "verifier://nothing", "verifier://rule/absent"} {
		r.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"resources/subscribe","params":{"uri":%q}}`, i+1, uri))
		if m := r.next(); m.Error == nil {
			t.Errorf("%s is watched", uri)
		}
	}
	r.send(`{"jsonrpc":"2.0","id":9,"method":"resources/subscribe","params":{"uri":"verifier://graph"}}`)
	if m := r.next(); m.Error != nil {
		t.Fatal(m.Error.Message)
	}
	if err := os.WriteFile(filepath.Join(dir, "wrong.json"), []byte(right+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if m := r.next(); m.Method != "notifications/resources/updated" {
		t.Errorf("%+v", m)
	}
	r.send(`{"jsonrpc":"2.0","id":10,"method":"resources/unsubscribe","params":{"uri":"verifier://graph"}}`)
	if m := r.next(); m.Error != nil && m.Method == "" {
		t.Errorf("%+v", m.Error)
	}
	r.in.Close()
	_, _ = io.ReadAll(r.out)
	if err := r.end(); err != nil {
		t.Error(err)
	}
}

func TestPrompts(t *testing.T) {
	s := connect(t, folder(t), nil, "wrong.json")
	list, err := s.ListPrompts(context.Background(), nil)
	if err != nil || len(list.Prompts) != 3 {
		t.Fatalf("%v %v", err, list)
	}
	for _, c := range []struct {
		name string
		args map[string]string
		want string
	}{
		{"review", nil, "inFeatures is 15 but 16 features arrive"}, {"review", map[string]string{"model": "right.json", "base": "wrong.json"}, "repaired"}, {"shrink", map[string]string{"model": "llm", "gpu": "t4"}, "fit one T4"},
		{"explain", map[string]string{"rule": "linear-in-mismatch"}, "set inFeatures of b to 16"}, {"explain", map[string]string{"rule": "cycle"}, "no finding of the rule"},
	} {
		r, err := s.GetPrompt(context.Background(), &sdk.GetPromptParams{Name: c.name, Arguments: c.args})
		if err != nil || !strings.Contains(r.Messages[0].Content.(*sdk.TextContent).Text, c.want) {
			t.Errorf("%s %v: %v", c.name, c.args, err)
		}
	}
	for name, args := range map[string]map[string]string{"shrink": {"gpu": "Z9"}, "explain": {"rule": "absent"}, "review": {"model": "../x.json"}} {
		if _, err := s.GetPrompt(context.Background(), &sdk.GetPromptParams{Name: name, Arguments: args}); err == nil {
			t.Errorf("%s %v is answered", name, args)
		}
	}
}
