package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/fence"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/load"
)

// inlineName is what a source that was sent is called in messages.
const inlineName = "source.py"

// inlineSource is PyTorch code in place of a graph.
type inlineSource struct{ Source, Class string }

// sourceIn returns the code that a model is; a graph, which has components, is none.
func sourceIn(raw json.RawMessage) (inlineSource, bool) {
	if len(raw) == 0 || raw[0] != '{' {
		return inlineSource{}, false
	}
	members := graph.SplitObject(raw)
	source, ok := isString(members["source"])
	if _, isGraph := members["components"]; !ok || isGraph {
		return inlineSource{}, false
	}
	class, named := isString(members["class"])
	return inlineSource{source, class}, named || members["class"] == nil || string(members["class"]) == "null"
}

// readSource reads code that was sent. It may import what lies in the root, as a file there could; nothing is run.
func (s *Server) readSource(ctx context.Context, src inlineSource, opt load.Options) (*model, error) {
	if len(src.Source) > limits.Bytes {
		return nil, action.Errorf(graph.CodeBytes, action.Model+".source", "has %d bytes, more than %d", len(src.Source), limits.Bytes)
	}
	files := &fence.Texts{Over: map[string]string{inlineName: src.Source}, Rest: fence.In(s.root, ".")}
	loaded, err := load.Text(ctx, files, inlineName, src.Class, opt)
	if err != nil {
		return nil, sourceFault(err)
	}
	return &model{graph: loaded.Graph, inline: true, loaded: loaded}, tooLarge(loaded.Graph)
}

// sourceFault is an error of code that was sent: its path is that of the member.
func sourceFault(err error) error {
	var coded *graph.Error
	if !errors.As(err, &coded) {
		return refuse(action.CodeFile, action.Model+".source", err.Error(), "Correct the code.")
	}
	c := *coded
	c.Path = action.Model + ".source"
	c.Message = strings.ReplaceAll(c.Message, inlineName+":", "line ")
	return &c
}
