package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"
)

// bom is a CycloneDX 1.6 document, with those of its members that are written here: https://cyclonedx.org/docs/1.6/json.
type bom struct {
	Schema       string       `json:"$schema"`
	Format       string       `json:"bomFormat"`
	SpecVersion  string       `json:"specVersion"`
	SerialNumber string       `json:"serialNumber"`
	Version      int          `json:"version"`
	Metadata     metadata     `json:"metadata"`
	Components   []component  `json:"components"`
	Dependencies []dependency `json:"dependencies"`
}

type metadata struct {
	Timestamp string    `json:"timestamp"`
	Component component `json:"component"`
}

type component struct {
	Type       string     `json:"type"`
	Ref        string     `json:"bom-ref"`
	Name       string     `json:"name"`
	Version    string     `json:"version"`
	Hashes     []hash     `json:"hashes,omitempty"`
	Licenses   []licensed `json:"licenses,omitempty"`
	PURL       string     `json:"purl"`
	Properties []property `json:"properties,omitempty"`
}

type hash struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
}

type licensed struct {
	License license `json:"license"`
}

type license struct {
	ID string `json:"id"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type dependency struct {
	Ref       string   `json:"ref"`
	DependsOn []string `json:"dependsOn,omitempty"`
}

// boms writes the SBOM of each program of the command line: what Go linked into it, as its build information has it.
func (r *release) boms() error {
	for _, p := range r.of("verifier") {
		sum, err := digest(p.path)
		if err != nil {
			return err
		}
		data, err := encode(newBOM(p, r.version, sum, r.time))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(r.out, r.base(p)+".cdx.json"), data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func newBOM(p *program, version, sum string, at time.Time) *bom {
	main := component{
		Type: "application", Name: p.name, Version: version, PURL: packageURL(p.info.Main.Path, version) + "#" + "cmd/" + p.name,
		Hashes:     []hash{{"SHA-256", sum}},
		Licenses:   []licensed{{license{"Apache-2.0"}}},
		Properties: []property{{"modelverifier:goos", p.os}, {"modelverifier:goarch", p.arch}},
	}
	goVersion := strings.TrimPrefix(p.info.GoVersion, "go")
	parts := []component{{Type: "library", Name: "std", Version: goVersion, PURL: packageURL("std", goVersion)}}
	for _, m := range p.info.Deps {
		parts = append(parts, module(m))
	}
	slices.SortFunc(parts, func(a, b component) int { return strings.Compare(a.PURL, b.PURL) })
	main.Ref = main.PURL
	all := dependency{Ref: main.Ref}
	for i := range parts {
		parts[i].Ref = parts[i].PURL
		all.DependsOn = append(all.DependsOn, parts[i].Ref)
	}
	return &bom{
		Schema: "http://cyclonedx.org/schema/bom-1.6.schema.json", Format: "CycloneDX", SpecVersion: "1.6", SerialNumber: serial(sum), Version: 1,
		Metadata: metadata{Timestamp: at.Format(time.RFC3339), Component: main}, Components: parts, Dependencies: []dependency{all},
	}
}

// module is a module that is linked. The digest of go.sum is one of a list of files, which CycloneDX has no name for.
func module(m *debug.Module) component {
	if m.Replace != nil {
		m = m.Replace
	}
	c := component{Type: "library", Name: m.Path, Version: m.Version, PURL: packageURL(m.Path, m.Version)}
	if m.Sum != "" {
		c.Properties = []property{{"modelverifier:go.sum", m.Sum}}
	}
	return c
}

// packageURL names a module as https://github.com/package-url/purl-spec does for golang: in lower case, the version escaped.
func packageURL(path, version string) string {
	return "pkg:golang/" + strings.ToLower(path) + "@" + strings.ReplaceAll(version, "+", "%2B")
}

// serial is a UUID of version 8 (RFC 9562, section 5.8) made of the program's digest: the same program has the same SBOM.
func serial(sum string) string {
	u := sha256.Sum256([]byte("sbom " + sum))
	u[6], u[8] = u[6]&0x0f|0x80, u[8]&0x3f|0x80
	return fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", u[:4], u[4:6], u[6:8], u[8:10], u[10:16])
}

// encode writes JSON as people read it.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(v)
	return b.Bytes(), err
}
