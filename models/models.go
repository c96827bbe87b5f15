// Package models holds well-known architectures as graphs in the short notation: fixtures of the tests, examples for users
// and what the service publishes, at once. Each is small but faithful, and runs. The package must not judge them: it reads
// files and knows nothing of types, rules or costs.
package models

import (
	"embed"
	"fmt"
	"strings"

	"github.com/modelverifier/verifier/internal/graph"
)

//go:embed *.graph
var files embed.FS

const extension = ".graph"

// List returns the names of the models, sorted.
func List() []string {
	entries, err := files.ReadDir(".")
	if err != nil {
		panic("models: " + err.Error()) // cannot happen: the folder is embedded
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = strings.TrimSuffix(e.Name(), extension)
	}
	return names
}

// Open reads a model.
func Open(name string) (*graph.Graph, error) {
	text, err := files.ReadFile(name + extension)
	if err != nil {
		return nil, fmt.Errorf("models: no model %q", name)
	}
	g, err := graph.Parse(string(text))
	if err != nil {
		return nil, fmt.Errorf("models: %s: %w", name, err)
	}
	return g, nil
}
