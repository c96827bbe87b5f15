//go:build linux

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"

	"github.com/modelverifier/verifier/conformance"
)

// known is a request whose answer is known beforehand, byte for byte: a recorded case of the folder conformance. A service that is being
// upgraded may give that of either version.
type known struct {
	name, action string
	body         []byte
	status       int
	want         [][]byte // one for each version that may answer, by its number; nil: that version answers something else
}

// The versions that may answer.
const (
	present       = iota // this source
	formerVersion        // the one that is upgraded from
)

// mostBody keeps requests to what callers usually send.
const mostBody = 64 << 10

// knowledge reads the cases of some sources, the present one first. Those that both versions were asked have both answers.
func knowledge(folders ...string) ([]*known, error) {
	byName, order := map[string]*known{}, []*known(nil)
	for version, folder := range folders {
		cases, err := conformance.Load(filepath.Join(folder, "conformance", "cases"))
		if err != nil {
			return nil, err
		}
		for _, c := range cases {
			body, err := c.Body()
			if err != nil {
				return nil, err
			}
			usual := c.Status == http.StatusOK || c.Status == http.StatusBadRequest || c.Status == http.StatusUnprocessableEntity
			if c.By != conformance.Recorded || !usual || len(body) > mostBody || bytes.Contains(body, []byte(`"share"`)) {
				continue
			}
			var want bytes.Buffer
			if err := json.Compact(&want, c.Response); err != nil {
				return nil, err
			}
			k := byName[c.Name]
			if k == nil && version == present {
				k = &known{name: c.Name, action: c.Action, body: body, status: c.Status, want: make([][]byte, len(folders))}
				byName[c.Name], order = k, append(order, k)
			}
			if k != nil && bytes.Equal(k.body, body) && k.status == c.Status {
				k.want[version] = want.Bytes()
			}
		}
	}
	if len(order) == 0 {
		return nil, fmt.Errorf("no recorded cases in %s", folders[present])
	}
	return order, nil
}

// says tells whether an answer is one that the versions which run may give.
func (k *known) says(status int, answer []byte, versions []int) bool {
	answer = bytes.TrimSuffix(answer, []byte("\n"))
	for _, v := range versions {
		if status == k.status && v < len(k.want) && k.want[v] != nil && bytes.Equal(answer, k.want[v]) {
			return true
		}
	}
	return false
}

// answerable keeps what all of some versions were recorded with.
func answerable(all []*known, versions []int) (out []*known) {
	for _, k := range all {
		fits := true
		for _, v := range versions {
			fits = fits && v < len(k.want) && k.want[v] != nil
		}
		if fits {
			out = append(out, k)
		}
	}
	return out
}
