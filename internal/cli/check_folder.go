package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/modelverifier/verifier/internal/discover"
	"github.com/modelverifier/verifier/internal/graph"
)

// mostShown is how many models of a folder a message names.
const mostShown = 3

// inFolder says what to do with a folder that is a repository and no model: its models are named one by one, and init writes them down.
func inFolder(name string, err error) error {
	var e *graph.Error
	if !errors.As(err, &e) || !strings.HasPrefix(e.Message, "holds Python sources") && !strings.HasPrefix(e.Message, "holds no ") {
		return err // it contains a model, or several, and the error describes the problem
	}
	if info, statErr := os.Stat(name); statErr != nil || !info.IsDir() {
		return err
	}
	found, walkErr := discover.Walk(name)
	if walkErr != nil || len(found.Models) == 0 {
		return err
	}
	var shown []string
	for _, m := range found.Models[:min(mostShown, len(found.Models))] {
		shown = append(shown, filepath.Join(name, filepath.FromSlash(m.Ref)))
	}
	rest := ""
	if n := len(found.Models) - len(shown); n > 0 {
		rest = fmt.Sprintf(" and %d more", n)
	}
	advice := "verifier init " + name + " writes a " + policyFile + " that names them, with what they are called with"
	if exists(filepath.Join(name, policyFile)) {
		advice = policyFile + " there says what they are called with, as far as it names them"
	}
	out := *e
	out.Path, out.Message = name, fmt.Sprintf("is a folder with %d models, %s%s: name one. %s", len(found.Models), strings.Join(shown, ", "), rest, advice)
	return &out
}
