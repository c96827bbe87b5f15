package site

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"regexp"
	"strconv"
	"strings"

	"github.com/modelverifier/verifier/internal/quantity"
)

//go:embed templates/*.html
var templateFiles embed.FS

//go:embed static/style.css
var stylesheet []byte

//go:embed static/favicon.svg
var icon []byte

var templates = template.Must(template.New("").Funcs(template.FuncMap{
	"grouped": quantity.Grouped,
	"short":   quantity.Short,
	"flops":   quantity.FLOPs,
	"bytes":   func(n int) string { return quantity.Bytes(int64(n)) },
	"join":    strings.Join,
	"inline":  inline,
	"percent": percent,
	"passed":  passed,
	"score":   score,
	"torch":   func(expression string) string { return slot.ReplaceAllString(expression, "$1") },
	"urlize":  func(name any) string { return strings.ReplaceAll(fmt.Sprint(name), " ", "-") },
	"title":   func(name any) string { return capital(fmt.Sprint(name)) },
}).ParseFS(templateFiles, "templates/*.html"))

// slot is where a parameter goes in a PyTorch expression of the catalogue.
var slot = regexp.MustCompile(`\{\{(\w+)\}\}`)

// page is what every page has around its content.
type page struct {
	Site        *Site
	Path        string
	Title       string
	Description string
	Section     string // the entry of the navigation that is current
	Main        template.HTML
}

// The accessors of the layout.

// URL is the address of the page.
func (p *page) URL() string { return p.Site.url(p.Path) }

// RuleSet is the id of the rules that the page was made with.
func (p *page) RuleSet() string { return p.Site.ruleSet }

// Version is that of the program.
func (p *page) Version() string { return p.Site.config.Version }

// App is where the app is, or empty.
func (p *page) App() string { return p.Site.config.App }

// About is where the text about all this is: on the first page, unless that is the app.
func (p *page) About() string {
	if p.Site.config.Front != nil {
		return AboutPath
	}
	return "/"
}

// Front is what the head of the page has to be the app, empty where it is text.
func (p *page) Front() template.HTML {
	if p.Path != "/" || p.Site.config.Front == nil {
		return ""
	}
	return template.HTML(p.Site.config.Front.Head) // of our own build
}

// Settings is where people manage their keys, or empty.
func (p *page) Settings() string { return p.Site.config.Settings }

// Hidden reports whether search engines should leave the page out.
func (p *page) Hidden() bool { return p.Path == notFound }

// OpenAPI reports whether the API is described.
func (p *page) OpenAPI() bool { return p.Site.Has("/openapi.json") }

// addPage publishes a page: a template for its content, and what that needs, made when it is first asked for.
func (s *Site) addPage(p page, name string, data func() any) {
	p.Site = s
	s.add(p.Path, typeHTML, func() []byte {
		p.Main = template.HTML(execute(name, data())) // made by a template, which has escaped what it was given
		return execute("page", &p)
	})
}

func execute(name string, data any) []byte {
	var b bytes.Buffer
	if err := templates.ExecuteTemplate(&b, name+".html", data); err != nil {
		panic("site: " + err.Error()) // cannot happen: data and templates are part of the program, and a test renders every page
	}
	return b.Bytes()
}

func percent(share float64) string { return strconv.FormatFloat(100*share, 'f', 1, 64) + " %" }

// decimal is a share from 0 to 1 with three digits.
func decimal(share float64) string { return strconv.FormatFloat(share, 'f', 3, 64) }

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

func escape(s string) string { return template.HTMLEscapeString(s) }

// inline writes a text of the catalogues: what stands between grave accents is code.
func inline(text string) template.HTML {
	var b strings.Builder
	parts := strings.Split(text, "`")
	for i, part := range parts {
		switch {
		case i%2 == 0:
			b.WriteString(escape(part))
		case i == len(parts)-1: // the last accent has no partner
			b.WriteString("`" + escape(part))
		default:
			b.WriteString("<code>" + escape(part) + "</code>")
		}
	}
	return template.HTML(b.String())
}

// addPages publishes everything that is read by people, but the architectures.
func (s *Site) addPages() {
	s.add("/style.css", typeCSS, func() []byte { return stylesheet })
	s.add("/favicon.svg", typeSVG, func() []byte { return icon })
	s.add("/robots.txt", typeText, s.robots)
	s.addHome()
	s.addPage(page{Path: notFound, Title: "Nothing is published here", Description: "This address has no page."}, "404", func() any { return (&page{Site: s}).About() })
	s.addRules()
	s.addTypes()
	s.addDocs()
	s.addBench()
}
