package graph

import (
	"bytes"
	"encoding/json"
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
	data := []byte(text)
	members := SplitObject(data)
	if members == nil || !json.Valid(data) {
		return nil
	}
	out := make(map[string]any, len(members))
	for name, member := range members {
		if len(member) > maxConfigMember {
			continue
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
