package load

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"path"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/hub"
	"github.com/modelverifier/verifier/internal/importer/onnx"
)

func init() { readers[hub.ONNX] = readONNX }

// readONNX imports an ONNX file. External data is looked for in the folder of the file.
func readONNX(ctx context.Context, src *hub.Source, opt Options) (*Model, error) {
	if src.FS() == nil {
		return nil, action.Errorf(action.CodeUnsupported, src.Ref, "an ONNX file is read from a disk, not from a stream: name the file")
	}
	f, err := src.FS().Open(src.Main)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	r, ok := f.(io.ReaderAt)
	if !ok {
		return nil, fmt.Errorf("load: %s cannot be read at a position", src.Main)
	}
	dir, err := fs.Sub(src.FS(), path.Dir(src.Main))
	if err != nil {
		return nil, err
	}
	file, err := onnx.Import(ctx, r, info.Size(), onnx.Options{Dir: dir, SeqLen: opt.SeqLen, Limits: opt.Limits})
	if err != nil {
		return nil, err
	}
	m := &Model{Type: file.Producer, Graph: file.Graph, Params: file.Params, Tensors: file.Tensors}
	for _, n := range file.Notes {
		m.Notes = append(m.Notes, n.String())
	}
	return m, nil
}
