package torch

import (
	"context"
	"io/fs"

	"github.com/modelverifier/verifier/internal/importer/torch/interp"
	"github.com/modelverifier/verifier/internal/infer"
)

// A program that asks for torch.__version__ may do one thing in an old release and another in a new one, so that nothing that it raises
// is certain, unless it raises there in both.

// releases are the oldest and the newest PyTorch that names and signatures were taken from.
var releases = []string{"2.15.0", "1.13.1"}

// versioned gives torch its __version__: that of a release where the import is for one, else one that differs from machine to machine.
func (r *reader) versioned(torch *interp.Module, version string) {
	if r.options.release != "" {
		torch.Attrs["__version__"] = r.options.release
		return
	}
	torch.Local = map[string]bool{"__version__": true}
	inner := torch.Lookup
	torch.Lookup = func(name string) (interp.Value, bool) {
		if name != "__version__" {
			return inner(name)
		}
		if r.options.asked != nil {
			*r.options.asked = true
		}
		return version, true
	}
}

// importForReleases reads a program that asks for the release and is not followed to its end once more for each of them. What does not run
// in any of them, at the same line, does not run.
func importForReleases(ctx context.Context, fsys fs.FS, rel, pkg, name string, opt Options) (*Model, error) {
	asked := false
	opt.asked = &asked
	first, err := importTwice(ctx, fsys, rel, pkg, name, opt)
	if !asked || err == nil && (first.Status == Full || refuses(first)) {
		return first, err
	}
	var out *Model
	for _, release := range releases {
		opt.release = release
		m, failed := importTwice(ctx, fsys, rel, pkg, name, opt)
		if failed != nil || !refuses(m) || len(m.Problems) == 0 {
			return first, err
		}
		if out != nil && (out.Problems[0].File != m.Problems[0].File || out.Problems[0].Line != m.Problems[0].Line) {
			return first, err
		}
		if out == nil {
			out = m
		}
	}
	return out, nil
}

// refuses reports whether a model certainly does not run.
func refuses(m *Model) bool { return m.Raises || len(infer.Walk(m.Graph).Refusals) > 0 }
