// Package site publishes the catalogues: a page for every rule, component type and architecture, the indexes and datasets that
// programs read, and the notes of docs/. Everything is rendered from values that are part of the program, so the same program
// and address give the same bytes on every machine.
//
// It must not know accounts, keys or storage: nothing that it serves depends on who asks.
package site

import (
	"fmt"
	"iter"
	"net/url"
	"sort"
	"strings"
	"sync"

	"github.com/modelverifier/verifier/internal/datasets"
	"github.com/modelverifier/verifier/internal/ruleset"
)

// Config says where the site is published, and with what beside the catalogues.
type Config struct {
	BaseURL string // scheme and host: https://www.example.org
	Version string // of the program, for the foot of the pages; may be empty

	App      string // address of the app, for the navigation; empty: there is none
	Front    *Front // makes the first page the app; nil: it is text
	Settings string // address at which people manage their keys, for the navigation; empty: there is none

	OpenAPI []byte // the document at /openapi.json; nil: not published
	Schema  []byte // the JSON schema of attestation records at SchemaPath; nil: not published

	// Surfaces and OpenSource are listed in /resources.json behind our own: what who runs the service publishes beside it.
	Surfaces   []Link
	OpenSource []Link
}

// Front makes the first page that of the app. Its text is then what a browser without scripts shows there, and what everybody finds
// under AboutPath.
type Front struct {
	Head   string // HTML that its head loads the app with: scripts and styles of our own build
	Policy string // the Content-Security-Policy under which they run
}

// AboutPath is where the text of the first page is where that page is the app.
const AboutPath = "/about.html"

// SchemaPath is where the JSON schema of attestation records, version 1, is published.
const SchemaPath = "/schemas/precheck/v1.json"

// Link is an entry of /resources.json.
type Link struct {
	Name string `json:"name"`
	URL  string `json:"url"`
	Note string `json:"note"`
}

// Site is everything that is published. A file is rendered when it is first asked for, and kept.
type Site struct {
	config  Config
	ruleSet string
	files   map[string]*file
	paths   []string                                   // sorted
	uses    func() map[string][]*datasets.Architecture // by component type
	breaks  func() map[string][]string                 // rule id to the types whose examples break it
}

// File is one published file.
type File struct {
	Path string // begins with a slash
	Type string // media type
	Body []byte
}

// New prepares a site. The error says what is wrong with the configuration.
func New(c Config) (*Site, error) {
	u, err := url.Parse(c.BaseURL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil {
		return nil, fmt.Errorf("site: the base address is %q but takes a scheme and a host alone, such as https://www.example.org", c.BaseURL)
	}
	c.BaseURL = u.Scheme + "://" + u.Host
	s := &Site{config: c, ruleSet: ruleset.ID(), files: map[string]*file{}}
	s.uses = sync.OnceValue(s.usedBy)
	s.breaks = sync.OnceValue(brokenBy)
	s.addPages()
	s.addArchitectures()
	s.addData()
	for path := range s.files {
		s.paths = append(s.paths, path)
	}
	sort.Strings(s.paths)
	s.add("/sitemap.xml", "application/xml; charset=utf-8", s.sitemap)
	s.paths = append(s.paths, "/sitemap.xml")
	sort.Strings(s.paths)
	return s, nil
}

// Files renders everything, in the order of the paths.
func (s *Site) Files() iter.Seq[File] {
	return func(yield func(File) bool) {
		for _, path := range s.paths {
			f := s.files[path]
			if !yield(File{path, f.mime, f.content().body}) {
				return
			}
		}
	}
}

// Has reports whether something is published under a path.
func (s *Site) Has(path string) bool { return s.find(path) != nil }

// lists are the pages that list what is published below a folder.
var lists = map[string]string{"/r": "/rules.html", "/t": "/types.html", "/a": "/architectures.html", "/d": "/resources.html", "/index": "/"}

// find returns what is published under a path, nil where nothing is. A page is found with and without .html and the slash of a
// folder, since people and programs write addresses either way; its own address is the canonical one that it names.
func (s *Site) find(path string) *file {
	if f := s.files[path]; f != nil {
		return f
	}
	name := path
	if len(name) > 1 {
		name = strings.TrimSuffix(name, "/")
	}
	if f := s.files[name+pageEnd]; f != nil {
		return f
	}
	return s.files[lists[strings.TrimSuffix(name, pageEnd)]]
}

// pageEnd ends the canonical address of every page but the first.
const pageEnd = ".html"

// url is the address of a path.
func (s *Site) url(path string) string { return s.config.BaseURL + path }

const (
	typeHTML   = "text/html; charset=utf-8"
	typeText   = "text/plain; charset=utf-8"
	typeJSON   = "application/json"
	typeLines  = "application/jsonl" // one JSON value on each line
	typeSchema = "application/schema+json"
	typeSVG    = "image/svg+xml"
	typeCSS    = "text/css; charset=utf-8"
)

// add publishes a file.
func (s *Site) add(path, mime string, render func() []byte) {
	if s.files[path] != nil {
		panic("site: " + path + " is published twice") // a fault of this package, which stops every test
	}
	s.files[path] = &file{mime: mime, content: sync.OnceValue(func() *content { return newContent(mime, render()) })}
}

// sitemap lists the pages for search engines.
func (s *Site) sitemap() []byte {
	var b strings.Builder
	b.WriteString("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n")
	for _, path := range s.paths {
		if s.files[path].mime == typeHTML && path != notFound {
			b.WriteString("<url><loc>" + escape(s.url(path)) + "</loc></url>\n")
		}
	}
	return []byte(b.String() + "</urlset>\n")
}

// robots keeps search engines out of what belongs to somebody.
func (s *Site) robots() []byte {
	return []byte("User-agent: *\nDisallow: /api/\nDisallow: /p/\n\nSitemap: " + s.url("/sitemap.xml") + "\n")
}
