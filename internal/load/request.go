package load

import (
	"bytes"
	"encoding/json"
)

// isRequest reports whether the members of an object are those of a request and not those of a graph. What is wrong with the
// document is found by the one who reads it.
func isRequest(data []byte) bool {
	d := json.NewDecoder(bytes.NewReader(data))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return false
	}
	found := false
	for d.More() {
		name, err := d.Token()
		if err != nil || name == "components" {
			return err != nil && found
		}
		found = found || name == "model" || name == "candidates"
		var skipped json.RawMessage
		if err := d.Decode(&skipped); err != nil {
			return found
		}
	}
	return found
}
