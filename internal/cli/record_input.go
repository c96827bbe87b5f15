package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/modelverifier/verifier/internal/attest"
	"github.com/modelverifier/verifier/internal/hub"
	"github.com/modelverifier/verifier/internal/load"
	"github.com/modelverifier/verifier/internal/manifest"
	"github.com/modelverifier/verifier/internal/report"
)

// input brings together what the record says.
func (r *recording) input(ctx context.Context, run *report.Run) (*attest.Input, error) {
	m, err := r.listing.Hash(ctx)
	if err != nil {
		return nil, err
	}
	if err := r.sameModel(m); err != nil {
		return nil, err
	}
	model := r.model
	for _, f := range m.Files {
		model.Files = append(model.Files, attest.File{Name: f.Name, Sum: f.Sum})
	}
	if r.again != nil {
		model.AllowSymlinks = r.again.model.AllowSymlinks
		if model.Kind == attest.SingleFile {
			model.Files[0].Name = model.Name
		}
	}
	slices.SortFunc(model.Files, func(a, b attest.File) int { return r.order.Compare(a.Name, b.Name) })
	argv, secret := redact(without(r.j.cmd, argsOf(r.j.cmd), recordFlags, run.Filled))
	if r.again != nil {
		argv = r.again.argv(run.Filled)
	}
	if secret {
		r.j.note("the record shows %s in place of what looks like a password or token", redacted)
	}
	in := &attest.Input{Run: run, Model: model, Argv: argv, Version: Version, URL: r.url, Time: r.time}
	if r.again != nil {
		in.Version = r.again.version
	}
	for _, b := range r.beside {
		sums, err := b.listing.Hash(ctx)
		if err != nil {
			return nil, err
		}
		sum := sums.Root(attest.ByName)
		if b.listing.Single {
			sum = sums.Files[0].Sum
		}
		in.Inputs = append(in.Inputs, attest.File{Name: b.name, Sum: sum})
	}
	if l := r.j.loaded; l != nil {
		in.Import = load.Importers(l.Kind)
		for _, f := range l.Imported {
			in.Inputs = append(in.Inputs, attest.File{Name: f.Name, Sum: f.Sum})
		}
	}
	if given(r.j.cmd, "base") != "" { // which may be of any kind
		for _, k := range []hub.Kind{hub.Config, hub.GGUF, hub.ONNX, hub.Python, hub.Neurarch, hub.Keras} {
			in.Import = append(in.Import, load.Importers(k)...)
		}
	}
	return in, nil
}

// sameModel makes sure that what was judged is what was digested, where the one who read it knows.
func (r *recording) sameModel(m *manifest.Manifest) error {
	l := r.j.loaded
	if l == nil {
		return nil
	}
	for _, name := range l.Read {
		for _, p := range r.model.Ignore {
			if !r.listing.Single && (name == p || strings.HasPrefix(name, p+"/")) {
				return fmt.Errorf("--ignore-paths leaves %s out, which was read for the verdict: a record must have its digest", name)
			}
		}
	}
	moved := r.again == nil && r.model.Revision != "" && l.Revision != r.model.Revision
	if moved || l.Kind == hub.Python && l.MainSum != m.Files[0].Sum {
		return fmt.Errorf("%s %w", r.model.Name, manifest.ErrChanged)
	}
	return nil
}
