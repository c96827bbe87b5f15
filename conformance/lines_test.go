package conformance

import (
	"bytes"
	"encoding/json"
	"net/http"
	"testing"
)

// TestLinesAreAnsweredAsTheyAreAlone sends the cases of each action as the lines of one request.
func TestLinesAreAnsweredAsTheyAreAlone(t *testing.T) {
	s := server(t)
	sent, want, names := map[string]*bytes.Buffer{}, map[string]*bytes.Buffer{}, 0
	for _, c := range load(t) {
		var line bytes.Buffer
		if json.Compact(&line, bodyOf(t, c)) != nil { // what is no JSON may have lines of its own
			continue
		}
		if sent[c.Action] == nil {
			sent[c.Action], want[c.Action] = &bytes.Buffer{}, &bytes.Buffer{}
		}
		names++
		_, alone := ask(t, s, http.MethodPost, "/v1/"+c.Action, "application/json", line.Bytes())
		want[c.Action].Write(append(alone, '\n'))
		sent[c.Action].Write(append(line.Bytes(), '\n'))
	}
	if names < 200 {
		t.Errorf("only %d cases were sent", names)
	}
	for action, body := range sent {
		resp, got := ask(t, s, http.MethodPost, "/v1/"+action, "application/x-ndjson", body.Bytes())
		if resp.StatusCode != http.StatusOK || resp.Header.Get("Content-Type") != "application/x-ndjson" {
			t.Errorf("%s: status %d, %s", action, resp.StatusCode, resp.Header.Get("Content-Type"))
		}
		have, expected := bytes.Split(got, []byte("\n")), bytes.Split(want[action].Bytes(), []byte("\n"))
		if len(have) != len(expected) {
			t.Errorf("%s: %d lines, want %d", action, len(have), len(expected))
			continue
		}
		for i := range have {
			if !bytes.Equal(have[i], expected[i]) {
				t.Errorf("%s, line %d: %.200s, alone %.200s", action, i+1, have[i], expected[i])
			}
		}
	}
}
