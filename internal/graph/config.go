package graph

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"slices"
)

// Config is the config.json that an importer kept, nil where there is none or it cannot be read. Numbers are json.Number. It is read
// once: it may have megabytes, and more than one question is about it. Nobody may change it.
func (g *Graph) Config() map[string]any {
	if g.config == nil {
		g.config = &config{}
		for _, m := range g.Extra {
			if m.Name == "config" {
				g.config.members = decodeConfig(m.Raw)
			}
		}
	}
	return g.config.members
}

// config is what was read, which may be nothing.
type config struct{ members map[string]any }

// maxConfigMember is the size of the largest member that is read: none that says anything of a model is near it. Of members that are
// longer together than maxConfig the shortest are read: a list of nothing takes twenty times its text.
const (
	maxConfigMember = 256 << 10
	maxConfig       = 512 << 10
)

// decodeConfig decodes the members of an object that was read as JSON before.
func decodeConfig(text string) map[string]any {
	members := SplitObject([]byte(text))
	if members == nil {
		return nil
	}
	out := make(map[string]any, len(members))
	names := slices.SortedFunc(maps.Keys(members), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(members[a]), len(members[b])), cmp.Compare(a, b))
	})
	rest := maxConfig
	for _, name := range names {
		member := members[name]
		if rest -= len(member); len(member) > maxConfigMember || rest < 0 {
			break
		}
		d := json.NewDecoder(bytes.NewReader(member))
		d.UseNumber()
		var v any
		if d.Decode(&v) == nil {
			out[name] = v
		}
	}
	return out
}
