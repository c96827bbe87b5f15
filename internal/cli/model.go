package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/modelverifier/verifier/internal/graph"
)

// readModel reads the model that a command was given: a file, or standard input for "-".
func readModel(cmd *cobra.Command, name string) (*graph.Graph, error) {
	data, err := readAll(cmd, name)
	if err != nil {
		return nil, err
	}
	g, err := decodeModel(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return g, nil
}

func readAll(cmd *cobra.Command, name string) ([]byte, error) {
	if name == "-" {
		return limited(cmd.InOrStdin(), "standard input")
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return nil, fmt.Errorf("%s is a folder; give a graph as a JSON file or in the text notation", name)
	}
	return limited(f, name)
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

// decodeModel tells JSON from the text notation by its first character, and takes a graph as well as the body of a request.
func decodeModel(data []byte) (*graph.Graph, error) {
	text := bytes.TrimLeft(data, " \t\r\n")
	if len(text) == 0 {
		return nil, errors.New("the file is empty")
	}
	if text[0] != '{' && text[0] != '[' && text[0] != '"' {
		return graph.Parse(string(data))
	}
	var request struct{ Model, Components json.RawMessage }
	if json.Unmarshal(data, &request) == nil && request.Components == nil && request.Model != nil {
		data = request.Model
	}
	return graph.Decode(data, "model", graph.LocalLimits)
}
