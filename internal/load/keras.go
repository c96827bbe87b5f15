package load

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/hub"
	"github.com/modelverifier/verifier/internal/importer/keras"
	"github.com/modelverifier/verifier/internal/quantity"
)

func init() { readers[hub.Keras] = readKeras }

// readKeras imports what model.to_json() wrote, or the same inside a .keras file. Weights are not read.
func readKeras(_ context.Context, src *hub.Source, opt Options) (*Model, error) {
	data, err := kerasConfig(src, opt.Limits.Bytes)
	if err != nil {
		return nil, err
	}
	read, err := keras.Import(data, keras.Options{SeqLen: opt.SeqLen, Limits: opt.Limits})
	if err != nil {
		return nil, action.Errorf(action.CodeFile, src.Ref, "%s", quantity.Own(err.Error()))
	}
	return &Model{Type: "keras." + read.Class, Graph: read.Graph, Params: -1, Notes: read.Notes}, nil
}

// kerasConfig is the description that a file is or holds.
func kerasConfig(src *hub.Source, limit int) ([]byte, error) {
	f, err := src.Open()
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // everything was read
	head := make([]byte, 2)
	n, err := io.ReadFull(f, head)
	if err != nil {
		return nil, fmt.Errorf("%s is empty", src.Ref)
	}
	rest := io.MultiReader(bytes.NewReader(head[:n]), f)
	if string(head) != "PK" {
		data, err := io.ReadAll(io.LimitReader(rest, int64(limit)+1))
		if err == nil && len(data) > limit {
			err = fmt.Errorf("%s has more than %d bytes", src.Ref, limit)
		}
		return data, err
	}
	at, ok := f.(io.ReaderAt)
	if !ok {
		return nil, action.Errorf(action.CodeUnsupported, src.Ref, "a .keras file is read from a disk, not from a stream: name the file")
	}
	size := int64(math.MaxInt64)
	if s, ok := f.(io.Seeker); ok {
		if size, err = s.Seek(0, io.SeekEnd); err != nil {
			return nil, err
		}
	}
	data, err := keras.Config(at, size, limit)
	if err != nil {
		return nil, action.Errorf(action.CodeFile, src.Ref, "%s", quantity.Own(err.Error()))
	}
	return data, nil
}
