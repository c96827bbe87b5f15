package load

import (
	"errors"
	"strings"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/hub"
	"github.com/modelverifier/verifier/internal/spelling"
	"github.com/modelverifier/verifier/models"
)

// Bundled returns a model that comes with the program by its id, such as resnet18, and whether there is one.
func Bundled(id string) (*Model, bool) {
	g, err := models.Open(id)
	if err != nil {
		return nil, false
	}
	return &Model{Kind: hub.Graph, Params: -1, Graph: g, Edges: edges(g), Notes: []string{id + " is the bundled model " + g.Name + "; no file or folder has that name"}}, true
}

// NearestBundled returns the id of the bundled model that was probably meant, or "". What is a path, a file or an id of the hub with
// its organisation was not.
func NearestBundled(ref string) string {
	if strings.ContainsAny(ref, `/\:@`) {
		return ""
	}
	return spelling.Nearest(ref, models.List())
}

// orBundled is asked where nothing on this machine and no hub has a model of that name: a file always comes first.
func orBundled(ref string, err error) (*Model, error) {
	var fault *graph.Error
	if !errors.As(err, &fault) || fault.Code != action.CodeNotFound {
		return nil, err
	}
	if m, ok := Bundled(ref); ok {
		return m, nil
	}
	if near := NearestBundled(ref); near != "" {
		out := *fault
		out.Message += ". Did you mean the bundled model " + near + "?"
		return nil, &out
	}
	return nil, err
}
