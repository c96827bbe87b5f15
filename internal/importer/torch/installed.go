package torch

import (
	"bufio"
	"bytes"
	"io/fs"
	"strings"

	"github.com/modelverifier/verifier/internal/fence"
	"github.com/modelverifier/verifier/internal/importer/torch/interp"
	"github.com/modelverifier/verifier/internal/importer/torch/python"
)

// maxMetadata bounds the description of an installed package, and maxPeeked the files that are looked through for a name.
const (
	maxMetadata = 1 << 20
	maxPeeked   = 4096
)

// installed makes what the interpreter may read of installed packages. Files that are read are noted with the others; those that are
// only looked through for a name decide nothing but which is read.
func installed(fsys fs.FS, read map[Source]bool) *interp.Beside {
	if fsys == nil {
		return nil
	}
	texts := map[string]string{}
	peek := func(name string) string {
		text, known := texts[name]
		if known || len(texts) >= maxPeeked || !fs.ValidPath(name) {
			return text
		}
		if data, err := fence.ReadFile(fsys, name, python.MaxBytes); err == nil {
			text = string(data)
		}
		texts[name] = text
		return text
	}
	return &interp.Beside{FS: &sources{FS: fsys, read: read, prefix: interp.Installed}, Peek: peek, Used: map[string]bool{}}
}

// has reports whether a package is installed.
func has(b *interp.Beside, name string) bool {
	if b == nil {
		return false
	}
	info, err := fs.Stat(b.FS, name+"/__init__.py")
	return err == nil && !info.IsDir()
}

// versions says which packages were read, with the versions that their descriptions say.
func versions(b *interp.Beside) []Problem {
	if b == nil || len(b.Used) == 0 {
		return nil
	}
	entries, err := fs.ReadDir(b.FS, ".")
	if err != nil {
		entries = nil
	}
	var out []Problem
	for _, name := range sortedKeys(b.Used) {
		version := ""
		for _, e := range entries {
			dist, ok := strings.CutSuffix(e.Name(), ".dist-info")
			if base, _, _ := strings.Cut(dist, "-"); ok && strings.EqualFold(strings.ReplaceAll(base, "-", "_"), name) {
				version = metadataVersion(b.FS, e.Name()+"/METADATA")
			}
		}
		said := name + ", of a version that is not known, is read from the installed packages"
		if version != "" {
			said = name + " " + version + " is read from the installed packages"
		}
		out = append(out, Problem{Message: said})
	}
	return out
}

// metadataVersion reads the version of a package's description.
func metadataVersion(fsys fs.FS, name string) string {
	data, err := fence.ReadFile(fsys, name, maxMetadata)
	if err != nil {
		return ""
	}
	lines := bufio.NewScanner(bytes.NewReader(data))
	for lines.Scan() {
		if lines.Text() == "" {
			return "" // the head ends
		}
		if v, ok := strings.CutPrefix(lines.Text(), "Version: "); ok && len(v) < 64 {
			return strings.TrimSpace(v)
		}
	}
	return ""
}
