package digest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// linked is a package of the build, in the words of go help list.
type linked struct {
	ImportPath, Dir string
	Standard        bool
	EmbedFiles      []string
	Module          *module
}

type module struct {
	Path, Version, Dir string
	Main               bool
	Replace            *module
}

// build is what a set of packages is linked from, the library of Go aside.
type build struct {
	root     string   // of the main module, as the go command spells it
	packages []linked // of the main module, sorted by import path
	modules  []string // path@version of the others, sorted
}

// settings make the list the same on every machine. Modules that only other platforms link are not in it: they are for terminals
// and processes, and may not be on this machine.
var settings = []string{"GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0", "GOFLAGS=-mod=readonly -buildvcs=false", "GOWORK=off", "GOEXPERIMENT="}

// list asks the go command what the packages are linked from. It compiles nothing.
func list(root string, packages ...string) (*build, error) {
	cmd := exec.Command("go", append([]string{"list", "-deps", "-json=ImportPath,Dir,Standard,EmbedFiles,Module"}, packages...)...)
	cmd.Dir, cmd.Env = root, append(os.Environ(), settings...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w: %s", err, bytes.TrimSpace(stderr.Bytes()))
	}
	b := &build{}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p linked
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		if err := b.add(p); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(b.packages, func(x, y linked) int { return strings.Compare(x.ImportPath, y.ImportPath) })
	slices.Sort(b.modules)
	b.modules = slices.Compact(b.modules)
	return b, nil
}

func (b *build) add(p linked) error {
	switch m := p.Module; {
	case p.Standard:
	case m == nil:
		return fmt.Errorf("%s belongs to no module", p.ImportPath)
	case m.Main:
		b.root = m.Dir
		b.packages = append(b.packages, p)
	case m.Replace != nil:
		return fmt.Errorf("%s is replaced: go.sum does not hold what is linked in its place", m.Path)
	default:
		b.modules = append(b.modules, m.Path+"@"+m.Version)
	}
	return nil
}
