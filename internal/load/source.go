package load

import (
	"context"
	"io/fs"

	"github.com/modelverifier/verifier/internal/importer/torch"
)

// Source reads a PyTorch source of a file system whose names start where absolute imports do. Nothing is run: opt.Trace is not looked at.
func Source(ctx context.Context, fsys fs.FS, main, symbol string, opt Options) (*torch.Model, error) {
	inputs, err := inputShapes(opt.Inputs)
	if err != nil {
		return nil, err
	}
	packages, done, err := sitePackages(opt.SitePackages)
	if err != nil {
		return nil, err
	}
	defer done()
	return torch.Import(ctx, fsys, main, symbol, torch.Options{Inputs: inputs, Args: opt.Args, Edits: opt.Edits, Installed: packages})
}
