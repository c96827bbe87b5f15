package conformance

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/mcp"
)

// unescape undoes what the protocol's library does to the bytes of a result on their way out: it writes three characters as escapes.
var unescape = strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&")

// TestAgentsGetTheSameBytes calls the tool of every case's action with the request as its arguments. The structured answer is the body
// of the service, errors included. A request that is not JSON cannot be the arguments of a call: those are counted and left out, as are
// names of actions that are no tools.
func TestAgentsGetTheSameBytes(t *testing.T) {
	server, err := mcp.New(mcp.Config{Root: t.TempDir(), Version: "test", Log: io.Discard})
	if err != nil {
		t.Fatal(err)
	}
	questions, in := io.Pipe()
	out, answers := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- server.Run(context.Background(), questions, answers)
		_ = answers.Close()
	}()
	lines := bufio.NewReaderSize(out, 1<<20)
	ask := func(line string) []byte {
		t.Helper()
		if _, err := io.WriteString(in, line+"\n"); err != nil {
			t.Fatal(err)
		}
		answer, err := lines.ReadBytes('\n')
		if err != nil {
			t.Fatal(err)
		}
		return answer
	}
	ask(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"conformance","version":"1"}}}`)
	compared, left := 0, 0
	for _, c := range load(t) {
		body := bodyOf(t, c)
		var compact bytes.Buffer
		if json.Compact(&compact, body) != nil || string(bytes.TrimSpace(body)) == "null" || c.Status == 404 {
			left++
			continue
		}
		_, want := answer(t, c)
		var got struct {
			Result struct {
				StructuredContent json.RawMessage
				IsError           bool
			}
			Error json.RawMessage
		}
		line := ask(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + c.Action + `","arguments":` + compact.String() + `}}`)
		if err := json.Unmarshal(line, &got); err != nil {
			t.Fatal(err)
		}
		compared++
		if text := unescape.Replace(string(got.Result.StructuredContent)); text != string(unescapedOnce(want)) || got.Result.IsError != (c.Status != 200) {
			t.Errorf("%s: %.300s %s, want %.300s", c.Name, text, got.Error, want)
		}
	}
	if err := in.Close(); err != nil {
		t.Error(err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	t.Logf("%d cases compared; %d left out, whose request is not JSON", compared, left)
	if compared < 100 {
		t.Errorf("only %d cases were compared", compared)
	}
}

// unescapedOnce makes the two comparable where the service itself wrote an escape.
func unescapedOnce(want []byte) []byte { return []byte(unescape.Replace(string(want))) }
