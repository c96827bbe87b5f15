package load

import (
	"context"
	"io/fs"

	"github.com/modelverifier/verifier/internal/hub"
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

// Text reads a PyTorch source as Source does, for a caller who has its text and no file, as the model that Open makes of a file.
func Text(ctx context.Context, fsys fs.FS, main, symbol string, opt Options) (*Model, error) {
	read, err := Source(ctx, fsys, main, symbol, opt)
	if err != nil {
		return nil, err
	}
	m := sourceModel(read, symbol)
	m.Kind, m.Edges = hub.Python, edges(read.Graph)
	return m, nil
}
