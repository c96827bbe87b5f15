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

func decodeConfig(text string) map[string]any {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var c map[string]any
	if d.Decode(&c) != nil || d.More() {
		return nil
	}
	return c
}
