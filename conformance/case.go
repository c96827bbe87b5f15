// Package conformance holds requests and the responses that every surface must give to them, as data that another
// implementation can run as well: one JSON file is one case. A case is written by hand, from the specification alone, with
// patterns for figures that only code can know, or recorded, and then every byte counts.
//
// It must not know how an answer is made.
package conformance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Case is one request and what is expected of it.
type Case struct {
	Name        string          `json:"name"`
	Action      string          `json:"action"`
	Request     json.RawMessage `json:"request,omitempty"`     // may hold repetitions, see expand
	RequestText *string         `json:"requestText,omitempty"` // instead of Request, where the bytes are not JSON or their form matters
	Status      int             `json:"status"`
	Response    json.RawMessage `json:"response"`
	By          By              `json:"by"`
}

// By says where the response is from.
type By string

// A response written by hand has patterns, see Match; one that was recorded is literal.
const (
	Hand     By = "hand"
	Recorded By = "recorded"
)

// Load reads the cases of a folder, by name.
func Load(dir string) ([]*Case, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return nil, err
	}
	var out []*Case
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		c := &Case{}
		d := json.NewDecoder(bytes.NewReader(data))
		d.DisallowUnknownFields()
		if err := d.Decode(c); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		if c.Name+".json" != filepath.Base(file) {
			return nil, fmt.Errorf("%s: the case is named %s", file, c.Name)
		}
		out = append(out, c)
	}
	return out, nil
}

// Save writes a case back.
func (c *Case) Save(dir string) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(c); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, c.Name+".json"), b.Bytes(), 0o644)
}

// Body is the bytes to send.
func (c *Case) Body() ([]byte, error) {
	if c.RequestText != nil {
		return []byte(*c.RequestText), nil
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, c.Request); err != nil {
		return nil, err
	}
	if !bytes.Contains(compact.Bytes(), []byte(repeat)) {
		return compact.Bytes(), nil
	}
	d := json.NewDecoder(&compact)
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	return json.Marshal(expand(v))
}

const repeat = "*repeat*"

// expand writes repetitions out, so that a case can be larger than its file. An item {"*repeat*": 3, "item": v} of a list stands
// for three of v, with # in its strings replaced by 0, 1 and 2; anywhere, {"*repeat*": 3, "text": "x"} stands for "xxx".
func expand(v any) any {
	switch v := v.(type) {
	case map[string]any:
		if n, text, ok := repetition(v, "text"); ok {
			return strings.Repeat(text.(string), n)
		}
		for k, item := range v {
			v[k] = expand(item)
		}
	case []any:
		out := []any{} // an empty list stays one
		for _, item := range v {
			object, _ := item.(map[string]any)
			n, one, ok := repetition(object, "item")
			if !ok {
				out = append(out, expand(item))
				continue
			}
			for i := range n {
				out = append(out, numbered(one, strconv.Itoa(i)))
			}
		}
		return out
	}
	return v
}

func repetition(v map[string]any, of string) (n int, what any, ok bool) {
	count, isNumber := v[repeat].(json.Number)
	what, has := v[of]
	if !isNumber || !has {
		return 0, nil, false
	}
	n, err := strconv.Atoi(count.String())
	return n, what, err == nil
}

func numbered(v any, i string) any {
	switch v := v.(type) {
	case string:
		return strings.ReplaceAll(v, "#", i)
	case map[string]any:
		out := map[string]any{}
		for k, item := range v {
			out[k] = numbered(item, i)
		}
		return out
	case []any:
		out := []any{}
		for _, item := range v {
			out = append(out, numbered(item, i))
		}
		return out
	}
	return v
}
