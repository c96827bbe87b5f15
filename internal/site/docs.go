package site

import (
	"html/template"
	"strings"

	"github.com/modelverifier/verifier/docs"
	"github.com/modelverifier/verifier/internal/site/markdown"
)

func docPath(name string) string { return "/docs/" + name + ".html" }

// note is an entry of the list of notes.
type note struct{ Name, Title, Path string }

// addDocs publishes the notes of docs/.
func (s *Site) addDocs() {
	var notes []note
	for _, name := range docs.Names() {
		text, _ := docs.Read(name)
		heading, _, _ := strings.Cut(text, "\n")
		n := note{name, strings.TrimPrefix(heading, "# "), docPath(name)}
		notes = append(notes, n)
		section := "docs"
		if name == "accuracy" {
			section = name
		}
		s.addPage(page{Path: n.Path, Title: n.Title, Section: section, Description: n.Title + ": a note of Model Verifier."}, "doc", func() any {
			return template.HTML(markdown.HTML(text, linked)) // our own notes, escaped by the renderer
		})
	}
	s.addPage(page{Path: "/docs.html", Title: "Notes", Section: "docs", Description: "How Model Verifier is measured, what it reads and how it is run."}, "docs", func() any { return notes })
}

// linked gives the address on the site of what a note links to; what is not published here has none.
func linked(target string) string {
	if strings.HasPrefix(target, "https://") || strings.HasPrefix(target, "#") {
		return target
	}
	name, fragment, has := strings.Cut(target, "#")
	name, isNote := strings.CutSuffix(strings.TrimPrefix(name, "./"), ".md")
	if _, ok := docs.Read(name); !isNote || !ok || strings.Contains(name, "/") {
		return ""
	}
	if has {
		return docPath(name) + "#" + fragment
	}
	return docPath(name)
}
