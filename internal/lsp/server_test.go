package lsp

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelverifier/verifier/internal/report"
)

// editor is the other end of the protocol, as an editor has it.
type editor struct {
	t         testing.TB
	in        io.WriteCloser
	replies   <-chan received
	published chan publishDiagnosticsParams
	ended     chan error
	next      int
	texts     map[string]*text
	latest    map[string]publishDiagnosticsParams
}

// received is a message as it comes back, with its result left as it stands.
type received struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *rpcError       `json:"error"`
}

func start(t testing.TB) *editor {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	e := &editor{t: t, in: inW, published: make(chan publishDiagnosticsParams, 100), ended: make(chan error, 1), texts: map[string]*text{}, latest: map[string]publishDiagnosticsParams{}}
	replies := make(chan received, 100)
	go func() {
		e.ended <- New(Config{Version: "test", Policy: report.Names(), Log: testLog{t}}).Run(context.Background(), inR, outW)
		_ = outW.Close() // the reader below ends
	}()
	go func() {
		defer close(replies)
		r := bufio.NewReader(outR)
		for {
			body, err := readMessage(r)
			if err != nil {
				return
			}
			var m received
			if json.Unmarshal(body, &m) != nil {
				return
			}
			if m.Method == "textDocument/publishDiagnostics" {
				var p publishDiagnosticsParams
				if json.Unmarshal(m.Params, &p) == nil {
					e.published <- p
				}
				continue
			}
			replies <- m
		}
	}()
	e.replies = replies
	t.Cleanup(func() { _ = inW.Close(); <-e.ended })
	return e
}

type testLog struct{ t testing.TB }

func (l testLog) Write(p []byte) (int, error) {
	l.t.Logf("%s", p)
	return len(p), nil
}

func (e *editor) send(m any) {
	e.t.Helper()
	body, err := json.Marshal(m)
	if err != nil {
		e.t.Fatal(err)
	}
	e.raw(string(body))
}

func (e *editor) raw(body string) {
	e.t.Helper()
	if _, err := fmt.Fprintf(e.in, "Content-Length: %d\r\n\r\n%s", len(body), body); err != nil {
		e.t.Fatal(err)
	}
}

func (e *editor) notify(method string, params any) {
	e.t.Helper()
	e.send(map[string]any{"jsonrpc": "2.0", "method": method, "params": params})
}

// ask sends a request and waits for its answer.
func (e *editor) ask(method string, params any, into any) *rpcError {
	e.t.Helper()
	e.next++
	e.send(map[string]any{"jsonrpc": "2.0", "id": e.next, "method": method, "params": params})
	m := e.reply()
	if string(m.ID) != fmt.Sprint(e.next) {
		e.t.Fatalf("the answer to %d has the id %s", e.next, m.ID)
	}
	if m.Error == nil && into != nil {
		if err := json.Unmarshal(m.Result, into); err != nil {
			e.t.Fatalf("%s answers %s: %v", method, m.Result, err)
		}
	}
	return m.Error
}

const patience = time.Minute

func (e *editor) reply() received {
	e.t.Helper()
	select {
	case m := <-e.replies:
		return m
	case <-time.After(patience):
		e.t.Fatal("no answer")
	}
	panic("not reached")
}

func (e *editor) begin() {
	e.t.Helper()
	var got initializeResult
	if err := e.ask("initialize", map[string]any{"capabilities": map[string]any{}}, &got); err != nil {
		e.t.Fatal(err)
	}
	if !got.Capabilities.InlayHintProvider || got.ServerInfo.Version != "test" {
		e.t.Fatalf("initialize answers %+v", got)
	}
	e.notify("initialized", map[string]any{})
}

// open opens a file that was written before, and returns its diagnostics.
func (e *editor) open(path string) []diagnostic {
	e.t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		e.t.Fatal(err)
	}
	uri := uriOf(path)
	e.texts[uri] = newText(string(data))
	e.notify("textDocument/didOpen", map[string]any{"textDocument": textDocument{URI: uri, Version: 1, Text: string(data)}})
	return e.diagnostics(uri, 1)
}

// edit sends what changed, and returns the diagnostics afterwards.
func (e *editor) edit(path string, version int, edits ...textEdit) []diagnostic {
	e.t.Helper()
	uri := uriOf(path)
	var changes []map[string]any
	for _, c := range edits {
		changes = append(changes, map[string]any{"range": c.Range, "text": c.NewText})
		var err error
		if e.texts[uri], err = e.texts[uri].changed([]contentChange{{&c.Range, c.NewText}}); err != nil {
			e.t.Fatal(err)
		}
	}
	e.notify("textDocument/didChange", map[string]any{"textDocument": map[string]any{"uri": uri, "version": version}, "contentChanges": changes})
	return e.diagnostics(uri, version)
}

// swap replaces a text that a document has once.
func (e *editor) swap(path string, version int, old, with string) []diagnostic {
	e.t.Helper()
	t := e.texts[uriOf(path)]
	if strings.Count(t.data, old) != 1 {
		e.t.Fatalf("%q stands %d times in the document", old, strings.Count(t.data, old))
	}
	i := strings.Index(t.data, old)
	return e.edit(path, version, textEdit{span{t.at(i), t.at(i + len(old))}, with})
}

// diagnostics waits for those of a version.
func (e *editor) diagnostics(uri string, version int) []diagnostic {
	e.t.Helper()
	return e.until(uri, func(p publishDiagnosticsParams) bool { return p.Version == version })
}

// until waits until the diagnostics of a document are as they should be.
func (e *editor) until(uri string, ok func(publishDiagnosticsParams) bool) []diagnostic {
	e.t.Helper()
	for deadline := time.After(patience); ; {
		if p, known := e.latest[uri]; known && ok(p) {
			return p.Diagnostics
		}
		select {
		case p := <-e.published:
			e.latest[p.URI] = p
		case <-deadline:
			e.t.Fatalf("the diagnostics of %s are %+v", uri, e.latest[uri])
		}
	}
}

func (e *editor) hints(path string) map[int]string {
	e.t.Helper()
	var got []inlayHint
	if err := e.ask("textDocument/inlayHint", map[string]any{"textDocument": map[string]any{"uri": uriOf(path)}, "range": span{End: position{Line: 1e6}}}, &got); err != nil {
		e.t.Fatal(err)
	}
	out := map[int]string{}
	for _, h := range got {
		out[h.Position.Line] = h.Label
	}
	return out
}

func (e *editor) actions(path string, at span) []codeAction {
	e.t.Helper()
	var got []codeAction
	params := map[string]any{"textDocument": map[string]any{"uri": uriOf(path)}, "range": at, "context": map[string]any{"diagnostics": []any{}}}
	if err := e.ask("textDocument/codeAction", params, &got); err != nil {
		e.t.Fatal(err)
	}
	return got
}

// files writes files into a repository of their own, and returns its folder.
func files(t testing.TB, texts map[string]string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	texts[".git/HEAD"] = "ref: refs/heads/main\n"
	for name, text := range texts {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const net = `import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 16, 3)  # 😀 a comment
        self.fc = nn.Linear(16 * 30 * 30, 10)

    def forward(self, x):
        x = self.conv(x)
        x = torch.relu(x)
        x = x.flatten(1)
        return self.fc(x)


net = Net()
net(torch.randn(4, 3, 32, 32))
`

func TestSourceIsJudgedAsItIsTyped(t *testing.T) {
	dir := files(t, map[string]string{"net.py": net})
	path := filepath.Join(dir, "net.py")
	e := start(t)
	e.begin()
	if got := e.open(path); len(got) > 0 {
		t.Fatalf("a right source has %+v", got)
	}
	want := map[int]string{11: "(N, 16, 30, 30)", 12: "(N, 16, 30, 30)", 13: "(N, 14400)", 14: "(N, 10)"}
	hints := e.hints(path)
	for line, label := range want {
		if hints[line] != label {
			t.Errorf("line %d has %q, want %q (of %v)", line+1, hints[line], label, hints)
		}
	}
	var h hover
	if err := e.ask("textDocument/hover", map[string]any{"textDocument": map[string]any{"uri": uriOf(path)}, "position": position{14, 16}}, &h); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(h.Contents.Value, "144,010 parameters") {
		t.Errorf("hover says %q", h.Contents.Value)
	}

	broken := e.swap(path, 2, "nn.Linear(16 * 30 * 30, 10)", "nn.Linear(14000, 10)")
	if len(broken) != 1 || broken[0].Severity != severityError || broken[0].Range.Start.Line != 8 || broken[0].CodeDescription == nil {
		t.Fatalf("a broken source has %+v", broken)
	}
	actions := e.actions(path, broken[0].Range)
	if len(actions) == 0 || !actions[0].IsPreferred {
		t.Fatalf("a broken source has the actions %+v", actions)
	}
	if got := e.edit(path, 3, actions[0].Edit.Changes[uriOf(path)]...); len(got) > 0 {
		t.Errorf("mended by %+v it has %+v", actions[0], got)
	}
}

func TestHalfTypedSourceKeepsItsShapes(t *testing.T) {
	dir := files(t, map[string]string{"net.py": net})
	path := filepath.Join(dir, "net.py")
	e := start(t)
	e.begin()
	e.open(path)
	got := e.swap(path, 2, "x = x.flatten(1)", "x = x.flatten(")
	if len(got) != 1 || got[0].Severity != severityError || got[0].Range.Start.Line < 13 {
		t.Fatalf("half typed it has %+v", got)
	}
	if hints := e.hints(path); hints[11] != "(N, 16, 30, 30)" || hints[13] != "" || hints[14] != "(N, 10)" {
		t.Errorf("half typed it has the hints %v", hints)
	}
	if got := e.swap(path, 3, "x = x.flatten(", "x = x.flatten(1)"); len(got) > 0 {
		t.Errorf("typed to its end it has %+v", got)
	}
}

func TestOpenFilesAreReadAsTheyAreTyped(t *testing.T) {
	texts := map[string]string{"blocks.py": "from torch import nn\n\n\nclass Head(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.fc = nn.Linear(8, 2)\n\n    def forward(self, x):\n        return self.fc(x)\n"}
	texts["net.py"] = "import torch\nfrom torch import nn\nfrom blocks import Head\n\n\nclass Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.body = nn.Sequential(nn.Linear(4, 8), nn.ReLU())\n        self.head = Head()\n\n    def forward(self, x):\n        return self.head(self.body(x))\n\n\nNet()(torch.randn(1, 4))\n"
	dir := files(t, texts)
	e := start(t)
	e.begin()
	if got := e.open(filepath.Join(dir, "net.py")); len(got) > 0 {
		t.Fatalf("a right source has %+v", got)
	}
	e.open(filepath.Join(dir, "blocks.py"))
	e.swap(filepath.Join(dir, "blocks.py"), 2, "nn.Linear(8, 2)", "nn.Linear(9, 2)")
	e.until(uriOf(filepath.Join(dir, "net.py")), func(p publishDiagnosticsParams) bool {
		return len(p.Diagnostics) == 1 && p.Diagnostics[0].Severity == severityError
	})
}

func TestPolicySaysWhatAModelIsCalledWith(t *testing.T) {
	source := "from torch import nn\n\n\nclass Net(nn.Module):\n    def __init__(self, width):\n        super().__init__()\n        self.fc = nn.Linear(width, 2)\n\n    def forward(self, x):\n        return self.fc(x)\n"
	dir := files(t, map[string]string{"src/net.py": source})
	e := start(t)
	e.begin()
	path := filepath.Join(dir, "src", "net.py")
	got := e.open(path)
	if len(got) != 1 || got[0].Severity != severityHint || !strings.Contains(got[0].Message, "width") {
		t.Fatalf("a class that nothing calls has %+v", got)
	}
	dir = files(t, map[string]string{"src/net.py": source, policyName: "models:\n  \"src/net.py:Net\": {arg: {width: 8}, input: [7]}\n"})
	path = filepath.Join(dir, "src", "net.py")
	got = e.open(path)
	if len(got) != 1 || got[0].Severity != severityError || got[0].Range.Start.Line != 6 {
		t.Errorf("a class that its policy calls with another width has %+v", got)
	}
}

func TestOtherFilesAreJudged(t *testing.T) {
	dir := files(t, map[string]string{
		"net.graph":   "x: input shape=[8]\nfc: linear inFeatures=9 outFeatures=2\no: output\nx -> fc -> o\n",
		policyName:    "policy:\n  max_parms: 10\n",
		"serve.sh":    "#!/bin/sh\nvllm serve meta-llama/Llama-3.1-8B \\\n  --tensor-paralel-size 2\n",
		"notes.yml":   "a: 1\n",
		"broken.json": "{\"components\": [{\"id\": 1}], \"connections\": []}",
	})
	e := start(t)
	e.begin()
	for _, c := range []struct {
		file string
		line int // -1 for nothing
		says string
	}{
		{"net.graph", 1, "9"}, {policyName, 1, "max_params"}, {"serve.sh", 2, "--tensor-parallel-size"}, {"notes.yml", -1, ""}, {"broken.json", 0, "id"},
	} {
		got := e.open(filepath.Join(dir, c.file))
		if c.line < 0 {
			if len(got) > 0 {
				t.Errorf("%s has %+v", c.file, got)
			}
			continue
		}
		if !slices.ContainsFunc(got, func(d diagnostic) bool {
			return d.Range.Start.Line == c.line && strings.Contains(d.Message, c.says) && d.Severity == severityError
		}) {
			t.Errorf("%s has %+v", c.file, got)
		}
	}
	path := filepath.Join(dir, "net.graph")
	actions := e.actions(path, span{position{1, 0}, position{1, 0}})
	if len(actions) == 0 {
		t.Fatal("a graph with one wrong number has no action")
	}
	if got := e.edit(path, 2, actions[0].Edit.Changes[uriOf(path)]...); len(got) > 0 {
		t.Errorf("mended by %+v it has %+v", actions[0], got)
	}
}

// BenchmarkKeystroke is from a key that is pressed in a file of a thousand lines to the diagnostics of what it holds then.
func BenchmarkKeystroke(b *testing.B) {
	var source strings.Builder
	source.WriteString("import torch\nfrom torch import nn\n")
	for i := range 40 {
		fmt.Fprintf(&source, strings.ReplaceAll(`

class Block%[1]d(nn.Module):
    """A residual block."""

    def __init__(self, width=%[2]d):
        super().__init__()
        self.conv1 = nn.Conv2d(width, width, 3, padding=1)
        self.norm1 = nn.BatchNorm2d(width)
        self.conv2 = nn.Conv2d(width, width, 3, padding=1)
        self.norm2 = nn.BatchNorm2d(width)

    def forward(self, x):
        y = self.conv1(x)
        y = self.norm1(y)
        y = torch.relu(y)
        y = self.conv2(y)
        y = self.norm2(y)
        return torch.relu(x + y)
`, "\n\n\n", "\n\n"), i, 8+i%4)
	}
	source.WriteString("\n\nclass Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.blocks = nn.Sequential(\n")
	for i := range 40 {
		fmt.Fprintf(&source, "            nn.Conv2d(%d, %d, 1),\n            Block%d(),\n", 8+(i+3)%4, 8+i%4, i)
	}
	source.WriteString("        )\n\n    def forward(self, x):\n        return self.blocks(x)\n\n\nNet()(torch.randn(1, 11, 32, 32))\n")
	dir := files(b, map[string]string{"net.py": source.String()})
	path := filepath.Join(dir, "net.py")
	e := start(b)
	e.begin()
	e.open(path)
	if len(e.hints(path)) < 6*40 {
		b.Fatal("the model was not read")
	}
	b.ReportMetric(float64(strings.Count(source.String(), "\n")), "lines")
	version := 1
	for b.Loop() {
		version++
		e.edit(path, version, textEdit{span{position{0, 12}, position{0, 12}}, " "})
	}
}

func TestProtocolIsKept(t *testing.T) {
	e := start(t)
	if err := e.ask("textDocument/hover", map[string]any{}, nil); err == nil || err.Code != codeNotInitialized {
		t.Errorf("a request before initialize is answered %v", err)
	}
	e.begin()
	if err := e.ask("textDocument/rename", map[string]any{}, nil); err == nil || err.Code != codeNoMethod {
		t.Errorf("a method that is not served is answered %v", err)
	}
	if err := e.ask("textDocument/hover", []int{1}, nil); err == nil || err.Code != codeInvalidParams {
		t.Errorf("wrong parameters are answered %v", err)
	}
	if err := e.ask("textDocument/hover", map[string]any{"textDocument": map[string]any{"uri": "file:///nowhere.py"}}, nil); err == nil || err.Code != codeInvalidParams {
		t.Errorf("a document that is not open is answered %v", err)
	}
	e.raw("{")
	if m := e.reply(); m.Error == nil || m.Error.Code != codeParse {
		t.Errorf("what is no JSON is answered %+v", m)
	}
	e.notify("workspace/unheardOf", map[string]any{})
	if err := e.ask("shutdown", nil, nil); err != nil {
		t.Error(err)
	}
	e.notify("exit", nil)
	if err := <-e.ended; err != nil {
		t.Error(err)
	}
	e.ended <- nil // for the end of the test
}

func TestRangesAreCountedAsTheProtocolDoes(t *testing.T) {
	was := newText("a😀b\r\nü = 1\n")
	for _, c := range []struct {
		part span
		with string
		want string
	}{
		{span{position{0, 3}, position{0, 4}}, "c", "a😀c\r\nü = 1\n"},
		{span{position{1, 1}, position{1, 99}}, "", "a😀b\r\nü\n"},
		{span{position{2, 0}, position{2, 0}}, "end", "a😀b\r\nü = 1\nend"},
		{span{position{0, 0}, position{3, 0}}, "", ""},
	} {
		got, err := was.changed([]contentChange{{&c.part, c.with}})
		if err != nil || got.data != c.want {
			t.Errorf("%+v gives %+v, %v; want %q", c.part, got, err, c.want)
		}
	}
	for _, part := range []span{{position{4, 0}, position{4, 0}}, {position{-1, 0}, position{0, 0}}, {position{1, 0}, position{0, 0}}} {
		if _, err := was.changed([]contentChange{{&part, ""}}); err == nil {
			t.Errorf("%+v is outside of the text or turned round, and is taken", part)
		}
	}
}
