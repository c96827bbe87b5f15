package load

import (
	"errors"
	"path"
	"regexp"
	"strings"

	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/hub"
	"github.com/modelverifier/verifier/internal/importer/torch"
)

// A reader of messages wants to know where a source stopped, why, and what to do. So a message has one path, the one that was given, and
// the lines as numbers; the cause comes first and then the ways out.

// stopped puts an error of the reader into that form.
func stopped(src *hub.Source, err error) error {
	var e *graph.Error
	if !errors.As(err, &e) || src.Ref == "" {
		return err
	}
	out := *e
	out.Path, out.Message = src.Ref, lined(e.Message, src.Main)
	if e.Code == torch.CodeRefused {
		out.Message += ". " + waysOut(e.Message, src.Ref)
	}
	return &out
}

// place is a file with a line at the beginning of a text, or behind a colon.
var place = regexp.MustCompile(`(^|: |\()([^\s:()]+\.py):([0-9]+): `)

// lined says lines of the main file by their numbers alone, and names other files once each time that the place changes.
func lined(message, main string) string {
	return place.ReplaceAllStringFunc(message, func(found string) string {
		parts := place.FindStringSubmatch(found)
		where := "line " + parts[3]
		if path.Clean(parts[2]) != path.Clean(main) {
			where = parts[2] + " " + where
		}
		if parts[3] == "0" { // nothing is known but the file
			where = strings.TrimSuffix(strings.TrimSuffix(where, "line 0"), " ")
		}
		if where == "" {
			return parts[1]
		}
		return parts[1] + where + ": "
	})
}

var unknownModule = regexp.MustCompile(`module [\w.]+ is not known`)

// waysOut are what a user can do: give what is missing or write the line in another way, or have the program run.
func waysOut(cause, ref string) string {
	first := "Write that line in a way that is followed (docs/torch.md)"
	if unknownModule.MatchString(cause) {
		first = "Read the packages that it imports, too, with --site-packages DIR"
	}
	return first + ", or run it in your own Python, on the meta device: " + traceCommand(ref)
}

func traceCommand(ref string) string {
	return "verifier import --trace " + ref + " --input SHAPE -o net.graph"
}
