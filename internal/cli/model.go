package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/fence"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/load"
)

// stdin is the name that stands for standard input.
const stdin = "-"

// input is the content of a file: a model, or the body of a request, which an action reads.
type input struct {
	name   string
	model  *graph.Graph // or
	body   []byte
	loaded *load.Model // where it came from, nil for the body of a request
}

// readInput reads what a command was given: any reference to a model, or a file with the body of a request, which is told from a
// graph by its members; asRequest leaves no choice.
func readInput(cmd *cobra.Command, name string, asRequest bool) (*input, error) {
	in := &input{name: name}
	if asRequest {
		data, err := readAll(cmd, actual(cmd, name))
		in.body = data
		return in, err
	}
	m, err := loadModel(cmd, name)
	if err != nil {
		return nil, in.wrap(inFolder(name, err))
	}
	in.model, in.body, in.loaded = m.Graph, m.Body, m
	for _, n := range m.Notes {
		note(cmd, n)
	}
	return in, nil
}

// wrap says in which file an error is.
func (in *input) wrap(err error) error {
	name := in.name
	if name == stdin {
		name = "standard input"
	}
	if strings.HasPrefix(err.Error(), name) { // what could not be found says so itself
		return err
	}
	return fmt.Errorf("%s: %w", name, err)
}

// readModel reads a model alone: of a request that which is its model.
func readModel(cmd *cobra.Command, name string) (*graph.Graph, error) {
	in, err := readInput(cmd, name, false)
	if err != nil {
		return nil, err
	}
	return in.graph()
}

// graph is the model alone: of a request that which is its model.
func (in *input) graph() (*graph.Graph, error) {
	if in.model != nil {
		return in.model, nil
	}
	body, err := graph.DecodeBody(in.body, graph.LocalLimits, func(path string) bool { return path == "model" })
	if err != nil {
		return nil, in.wrap(err)
	}
	m := body.Member("model")
	if m == nil || m.Graph == nil {
		return nil, in.wrap(errors.New("has no model; give a graph as JSON or in the text notation"))
	}
	return m.Graph, nil
}

// readVerifiable reads a model and refuses one that cannot be verified, as an action does.
func readVerifiable(cmd *cobra.Command, name, path string) (*graph.Graph, error) {
	in, err := readInput(cmd, name, false)
	if err != nil {
		return nil, err
	}
	return in.verifiable(path)
}

// readBeneath is readVerifiable of a model in a folder that nothing it leads to lies outside of: links in it are those of another commit.
func readBeneath(cmd *cobra.Command, dir, name, path string) (*graph.Graph, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	in := &input{name: filepath.Join(dir, name)}
	if in.loaded, err = loadFrom(cmd, root, name, nil); err != nil {
		return nil, in.wrap(err)
	}
	in.model, in.body = in.loaded.Graph, in.loaded.Body
	for _, n := range in.loaded.Notes {
		note(cmd, n)
	}
	return in.verifiable(path)
}

// verifiable is readVerifiable of the model at hand.
func (j *judge) verifiable(name string) (*graph.Graph, error) {
	in, err := readInput(j.cmd, name, false)
	if err != nil {
		return nil, err
	}
	j.loaded = in.loaded
	return in.verifiable("model")
}

func (in *input) verifiable(path string) (*graph.Graph, error) {
	g, err := in.graph()
	if err != nil {
		return nil, err
	}
	if err := action.CheckModel(g, path); err != nil {
		return nil, in.wrap(err)
	}
	return g, nil
}

// request reads the request of an action: the body as it stands, or one that has the model and nothing else.
func request[Q any](in *input, decode func([]byte, graph.Limits) (*Q, error), of func(*graph.Graph) *Q) (*Q, error) {
	if in.model != nil {
		if err := action.CheckModel(in.model, "model"); err != nil {
			return nil, in.wrap(err)
		}
		return of(in.model), nil
	}
	q, err := decode(in.body, graph.LocalLimits)
	if err != nil {
		return nil, in.wrap(err)
	}
	return q, nil
}

func readAll(cmd *cobra.Command, name string) ([]byte, error) {
	if name == stdin {
		return limited(cmd.InOrStdin(), "standard input")
	}
	return readFile(name)
}

// readFile reads a file whole. A pipe or a device is refused and not waited for: it may never end, and cannot be read again.
func readFile(name string) ([]byte, error) {
	data, err := fence.Read(name, int64(graph.LocalLimits.Bytes))
	if errors.Is(err, fence.ErrNotRegular) {
		return nil, fmt.Errorf("%s is a pipe or a device and not a file; save it to one, or use - for standard input where that is taken", name)
	}
	if info, statErr := os.Stat(name); err != nil && statErr == nil && info.IsDir() {
		return nil, fmt.Errorf("%s is a folder; give a file", name)
	}
	return data, err
}

// readFound reads a file that was looked for in a folder and not named, beneath the root of the folder. One that must be plain is refused
// where it is a link: a pull request can make one.
func readFound(dir, name string, plain bool) ([]byte, error) {
	d, err := fence.Named(dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = d.Close() }() // it was read
	read := func() ([]byte, error) {
		return fence.ReadFile(d, filepath.ToSlash(name), int64(graph.LocalLimits.Bytes))
	}
	if plain {
		read = func() ([]byte, error) {
			return fence.ReadPlain(d, filepath.ToSlash(name), int64(graph.LocalLimits.Bytes))
		}
	}
	data, err := read()
	var fault *fs.PathError
	if errors.As(err, &fault) {
		err = &fs.PathError{Op: "open", Path: filepath.Join(dir, name), Err: fault.Err}
	}
	return data, err
}

// limited reads at most one byte more than the limit, so that an endless stream cannot fill the memory.
func limited(r io.Reader, name string) ([]byte, error) {
	limit := int64(graph.LocalLimits.Bytes)
	data, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = fmt.Errorf("%s has more than %d bytes", name, limit)
	}
	return data, err
}
