// Package docs carries the pages of this folder, and the measured errors of the estimates, so that a service can publish them. It knows
// nothing of what the pages say.
package docs

import (
	"embed"
	"strings"
)

//go:embed *.md
var files embed.FS

// index is the page that sorts the others into tutorials, how-to guides, reference and explanation.
const index = "README"

// Names returns the pages' names without their ending, sorted; the index is not among them.
func Names() []string {
	entries, err := files.ReadDir(".")
	if err != nil {
		panic("docs: " + err.Error()) // cannot happen: the folder is embedded
	}
	var names []string
	for _, e := range entries {
		if name := strings.TrimSuffix(e.Name(), ".md"); name != index {
			names = append(names, name)
		}
	}
	return names
}

// Read returns a page as Markdown, and whether there is one of that name.
func Read(name string) (string, bool) {
	text, err := files.ReadFile(name + ".md")
	return string(text), err == nil && name != index
}

// Index returns the index as Markdown.
func Index() string {
	text, err := files.ReadFile(index + ".md")
	if err != nil {
		panic("docs: " + err.Error()) // cannot happen: it is embedded
	}
	return string(text)
}
