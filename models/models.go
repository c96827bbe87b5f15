// Package models holds well-known architectures as graphs in the short notation: fixtures of the tests, examples for users
// and what the service publishes, at once. Each is faithful to the reference implementation that it names, and runs. Those
// that the importers made have the configuration they were made from in configs/. The package must not judge them: it reads
// files and knows nothing of types, rules, costs or importers.
package models

import (
	"embed"
	"fmt"
	"strings"

	"github.com/modelverifier/verifier/internal/graph"
)

//go:embed *.graph configs/*.json
var files embed.FS

const extension = ".graph"

// List returns the ids of the models, sorted.
func List() []string {
	entries, err := files.ReadDir(".")
	if err != nil {
		panic("models: " + err.Error()) // cannot happen: the folder is embedded
	}
	var names []string
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), extension); ok {
			names = append(names, name)
		}
	}
	return names
}

// Open reads a model. One that was imported has the configuration that it was made from, too.
func Open(name string) (*graph.Graph, error) {
	text, err := read(name)
	if err != nil {
		return nil, err
	}
	g, err := graph.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("models: %s: %w", name, err)
	}
	if config, ok := Config(name); ok {
		g.Extra = []graph.Member{{Name: "config", Raw: string(config)}}
	}
	return g, nil
}

// Config returns the config.json that a model was imported from, and whether it was.
func Config(name string) ([]byte, bool) {
	text, err := files.ReadFile("configs/" + name + ".json")
	return text, err == nil
}

func read(name string) (string, error) {
	text, err := files.ReadFile(name + extension)
	if err != nil {
		return "", fmt.Errorf("models: no model %q", name)
	}
	return string(text), nil
}
