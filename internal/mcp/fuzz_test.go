package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"time"
)

// FuzzSession sends any bytes after the beginning of a session. The server ends when the input does, and every line that it writes is a
// message.
func FuzzSession(f *testing.F) {
	const begin = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"f","version":"1"}}}` + "\n" + `{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"
	for _, s := range []string{
		"nonsense\n", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"check","arguments":{"model":{"components":[{"type":"relu"}]}}}}`, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"edit","arguments":{"model":"../x","changes":[{"op":"add"}]}}}`,
		`{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"describe","arguments":{"model":{"components":[]},"from":"a","to":"b","top":0}}}`, `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"verifier://graph/%zz"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"rank","arguments":{"candidates":[{"model":"x"},5]}}}`, `{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"shrink","arguments":{"gpu":"T4"}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"verifier://graph/a"}}`, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"catalog","arguments":[]}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"fit","arguments":{"model":{"components":[]},"data":"..","serve":{"command":"vllm"}}}}`, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := New(Config{Root: t.TempDir(), Write: true, Log: io.Discard})
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		done := make(chan error, 1)
		go func() { done <- s.Run(context.Background(), strings.NewReader(begin+text), &out) }()
		select {
		case <-done:
		case <-time.After(time.Minute):
			t.Fatal("the server does not end with its input")
		}
		for line := range bytes.Lines(out.Bytes()) {
			if !json.Valid(line) {
				t.Fatalf("not a message: %q", line)
			}
		}
	})
}
