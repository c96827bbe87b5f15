package serve

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"github.com/modelverifier/verifier/internal/graph"
)

// config is a JSON object: config.json of a model, or the value of a flag.
type config map[string]any

func decodeConfig(text string) config {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var c config
	if d.Decode(&c) != nil || d.More() {
		return nil
	}
	return c
}

// memberOf is a JSON object with one of its members alone, where that is short: what else is in it is not read.
func memberOf(text, key string) config {
	data := []byte(text)
	if !json.Valid(data) {
		return nil
	}
	value := graph.SplitObject(data)[key]
	if len(value) == 0 || len(value) > shortMember {
		return nil
	}
	return decodeConfig(`{"` + key + `":` + string(value) + `}`)
}

// shortMember is how many bytes a number or a name takes at the most.
const shortMember = 256

// configOf returns config.json as an importer kept it, and the part of it that is of the language model.
func configOf(g *graph.Graph) (top, text config) {
	top = g.Config()
	text = top
	for _, key := range []string{"text_config", "llm_config", "language_config", "thinker_config", "text_config"} {
		if inner := text.object(key); inner != nil {
			text = inner
		}
	}
	return top, text
}

func (c config) object(key string) config {
	o, _ := c[key].(map[string]any)
	return o
}

func (c config) has(key string) bool {
	v, ok := c[key]
	return ok && v != nil
}

func (c config) str(key string) string {
	s, _ := c[key].(string)
	return s
}

func (c config) truth(key string) bool {
	b, _ := c[key].(bool)
	return b
}

// num returns a whole number, also one that is written with a point or as a text.
func (c config) num(key string) (int64, bool) {
	switch v := c[key].(type) {
	case json.Number:
		if n, err := strconv.ParseInt(string(v), 10, 64); err == nil {
			return n, true
		}
		f, err := v.Float64()
		if err == nil && f == math.Trunc(f) && math.Abs(f) < 1<<53 {
			return int64(f), true
		}
	case string:
		return humanNumber(v, suffixesVLLM)
	}
	return 0, false
}

func (c config) float(key string) (float64, bool) {
	n, ok := c[key].(json.Number)
	if !ok {
		return 0, false
	}
	f, err := n.Float64()
	return f, err == nil && !math.IsInf(f, 0)
}

// Limits of dotted keys: the points of one, each of which is an object in an object, and the keys of one flag.
const (
	mostPoints = 6
	mostDotted = 512
)

func tooDeep(key string) bool { return strings.Count(key, ".") > mostPoints }

// put sets a value below a dotted key, which is not too deep.
func (c config) put(key string, v any) {
	head, tail, dotted := strings.Cut(key, ".")
	if !dotted {
		c[head] = v
		return
	}
	inner := c.object(head)
	if inner == nil {
		inner = config{}
		c[head] = map[string]any(inner)
	}
	inner.put(tail, v)
}
