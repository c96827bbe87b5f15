package site

import (
	"html/template"
	"strings"

	"github.com/modelverifier/verifier/docs"
	"github.com/modelverifier/verifier/internal/site/markdown"
)

func docPath(name string) string { return "/docs/" + name + ".html" }

// addDocs publishes the pages of docs/, and their index.
func (s *Site) addDocs() {
	for _, name := range docs.Names() {
		text, _ := docs.Read(name)
		heading, _, _ := strings.Cut(text, "\n")
		title := strings.TrimPrefix(heading, "# ")
		about := page{Path: docPath(name), Title: title, Section: "docs", Description: title + ": a page of Model Verifier's documentation."}
		if name == "accuracy" {
			about.Section = name
			s.addAccuracy(about, text)
			continue
		}
		s.addPage(about, "doc", func() any {
			return template.HTML(markdown.HTML(text, linked)) // our own pages, escaped by the renderer
		})
	}
	s.addPage(page{Path: "/docs.html", Title: "Documentation", Section: "docs", Description: "Tutorial, how-to guides, reference and explanation of Model Verifier."}, "doc", func() any {
		return template.HTML(markdown.HTML(docs.Index(), linked))
	})
}

// linked gives the address on the site of what a page links to; what is not published here has none.
func linked(target string) string {
	if strings.HasPrefix(target, "https://") || strings.HasPrefix(target, "#") {
		return target
	}
	if "/docs/"+target == accuracyData {
		return accuracyData
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
