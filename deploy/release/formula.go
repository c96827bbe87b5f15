package main

import (
	"bytes"
	"os"
	"path/filepath"
	"text/template"
)

// formula is what the template of the Homebrew formula is filled with.
type formula struct {
	Number  string
	Systems []system
}

type system struct {
	Name     string // as Homebrew has it: macos, linux
	Archives []archive
}

type archive struct{ CPU, URL, SHA256 string }

// formula writes the Homebrew formula for the archives that there are.
func (r *release) formula() error {
	text, err := template.ParseFiles(filepath.Join(r.root, "deploy/homebrew/verifier.rb.tmpl"))
	if err != nil {
		return err
	}
	f := formula{Number: r.number()}
	for _, s := range []struct{ os, name string }{{"darwin", "macos"}, {"linux", "linux"}} {
		found, err := r.system(s.os, s.name)
		if err != nil {
			return err
		}
		if len(found.Archives) > 0 {
			f.Systems = append(f.Systems, *found)
		}
	}
	var b bytes.Buffer
	if err := text.Execute(&b, f); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(r.out, "verifier.rb"), b.Bytes(), 0o644)
}

func (r *release) system(goos, name string) (*system, error) {
	out := &system{Name: name}
	for _, p := range r.of("verifier") {
		if p.os != goos {
			continue
		}
		file := r.base(p) + ".tar.gz"
		sum, err := digest(filepath.Join(r.out, file))
		if err != nil {
			return nil, err
		}
		cpu := map[string]string{"amd64": "intel", "arm64": "arm"}[p.arch]
		out.Archives = append(out.Archives, archive{cpu, repository + "/releases/download/" + r.version + "/" + file, sum})
	}
	return out, nil
}
