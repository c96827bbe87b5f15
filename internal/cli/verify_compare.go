package cli

import (
	"bytes"
	"slices"
	"strings"

	"github.com/modelverifier/verifier/internal/attest"
	"github.com/modelverifier/verifier/internal/manifest"
)

// inputsDiffer names the first file beside the model that was another.
func inputsDiffer(recorded, now *attest.Statement) string {
	of := func(s *attest.Statement) map[string]string {
		out := map[string]string{}
		for _, d := range s.Predicate.Configuration {
			if d.Annotations != nil && d.Digest != nil {
				out[d.Name] += d.Digest.SHA256
			}
		}
		return out
	}
	was, is := of(recorded), of(now)
	var names []string
	for name, sum := range was {
		if is[name] != sum {
			names = append(names, name)
		}
	}
	for name := range is {
		if _, there := was[name]; !there {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	slices.Sort(names)
	return ": not the file that the recorded run read: " + manifest.Shown(strings.Join(names, ", "))
}

// compare finds the first byte that differs, nil where none does.
func compare(recorded, now []byte) *difference {
	if bytes.Equal(recorded, now) {
		return nil
	}
	at := 0
	for at < min(len(recorded), len(now)) && recorded[at] == now[at] {
		at++
	}
	return &difference{at, 1 + bytes.Count(recorded[:at], []byte("\n")), lineAt(recorded, at), lineAt(now, at)}
}

// lineAt is the line that a byte is in, cut to what can be read.
func lineAt(data []byte, at int) string {
	const most = 160
	start := bytes.LastIndexByte(data[:at], '\n') + 1
	end := len(data)
	if i := bytes.IndexByte(data[at:], '\n'); i >= 0 {
		end = at + i
	}
	start = max(start, at-most/2)
	return strings.TrimSpace(strings.ToValidUTF8(string(data[start:min(end, start+most)]), "?"))
}
