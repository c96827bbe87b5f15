package graph

import (
	"encoding/json"
	"strings"
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

// maxConfigMember is the size of the largest member that is read: none that says anything of a model is near it.
const maxConfigMember = 256 << 10

func decodeConfig(text string) map[string]any {
	var raw map[string]json.RawMessage
	if json.Unmarshal([]byte(text), &raw) != nil || raw == nil {
		return nil
	}
	out := make(map[string]any, len(raw))
	for name, member := range raw {
		if len(member) > maxConfigMember {
			continue
		}
		d := json.NewDecoder(strings.NewReader(string(member)))
		d.UseNumber()
		var v any
		if d.Decode(&v) == nil {
			out[name] = v
		}
	}
	return out
}
