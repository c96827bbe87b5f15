package torch

import (
	"embed"
	"io/fs"
	"strings"
)

// preludes are the parts of other packages that models are made of, written by us in Python: preludes/einops/layers/torch.py is the module
// einops.layers.torch. They are read when a program imports them.
//
//go:embed all:preludes
var preludes embed.FS

// preludeOf returns the source of a module of preludes.
func preludeOf(name string) (string, bool) {
	path := "preludes/" + strings.ReplaceAll(name, ".", "/")
	for _, p := range []string{path + ".py", path + "/__init__.py"} {
		if data, err := fs.ReadFile(preludes, p); err == nil {
			return string(data), true
		}
	}
	return "", false
}
