// Package docs carries the notes of this folder, so that a service can publish them. It knows nothing of what they say.
package docs

import (
	"embed"
	"strings"
)

//go:embed *.md
var files embed.FS

// Names returns the notes' names without their ending, sorted.
func Names() []string {
	entries, err := files.ReadDir(".")
	if err != nil {
		panic("docs: " + err.Error()) // cannot happen: the folder is embedded
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = strings.TrimSuffix(e.Name(), ".md")
	}
	return names
}

// Read returns a note as Markdown, and whether there is one of that name.
func Read(name string) (string, bool) {
	text, err := files.ReadFile(name + ".md")
	return string(text), err == nil
}
