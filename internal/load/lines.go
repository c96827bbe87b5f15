package load

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/hub"
	"github.com/modelverifier/verifier/internal/importer/torch"
)

// Place is a line of a text file, counted from 1; 0 where it is not known.
type Place struct {
	File string
	Line int
}

// Places says where each component was written, in the order of the graph: the line that a graph's file has it on, or that of the
// PyTorch source that made it. It is nil where no text has the components. Nothing else of a model depends on it, so it is found
// only when asked for.
func (m *Model) Places() []Place {
	if m.lines == nil {
		return nil
	}
	return m.lines()
}

// textFile is the file that a person would open to change the model, as it was given: none for standard input, for what lies in
// the cache of a hub, and for what is no text.
func textFile(src *hub.Source) string {
	switch {
	case src.ID() != "" || src.Ref == "-":
		return ""
	case src.Kind == hub.Graph, src.Kind == hub.Python:
		return src.Path
	case src.Kind != hub.Config:
		return ""
	}
	if info, err := os.Stat(src.Path); err == nil && info.IsDir() {
		return filepath.Join(src.Path, filepath.FromSlash(src.Main))
	}
	return src.Path
}

// graphPlaces finds the components of a graph's document, in either form. It was read before, so it is well formed.
func graphPlaces(file string, data []byte) []Place {
	lines := notationLines
	if isJSON(data) {
		lines = jsonLines
	}
	var out []Place
	for _, n := range lines(data) {
		out = append(out, Place{file, n})
	}
	return out
}

// notationLines are the lines that define a component. A statement never goes over a line, so each is read for itself; what defines one has a colon, and
// is no comment.
func notationLines(data []byte) []int {
	var out []int
	n := 0
	for line := range strings.SplitSeq(string(data), "\n") {
		n++
		text := strings.TrimLeft(line, " \t")
		if !strings.Contains(text, ":") || strings.HasPrefix(text, "#") || strings.HasPrefix(text, "//") {
			continue
		}
		if g, err := graph.Parse(line); err == nil && len(g.Components) > 0 {
			out = append(out, n)
		}
	}
	return out
}

// jsonLines are the lines on which the items of components begin, of a graph or of the model of a request.
func jsonLines(data []byte) []int {
	s := &lineScanner{data: data, line: 1}
	s.d = json.NewDecoder(bytes.NewReader(data))
	inModel := !isRequest(data)
	if !s.opens('{') {
		return nil
	}
	for s.d.More() {
		name, err := s.d.Token()
		switch {
		case err != nil:
			return nil
		case inModel && name == "components":
			return s.items()
		case !inModel && name == "model":
			if inModel = s.opens('{'); !inModel {
				return nil
			}
		default:
			var skipped json.RawMessage
			if s.d.Decode(&skipped) != nil {
				return nil
			}
		}
	}
	return nil
}

// lineScanner counts lines up to where a decoder is.
type lineScanner struct {
	data []byte
	d    *json.Decoder
	at   int // the lines before this byte are counted
	line int
}

func (s *lineScanner) opens(what json.Delim) bool {
	t, err := s.d.Token()
	return err == nil && t == what
}

// items lists where the values of a list begin.
func (s *lineScanner) items() []int {
	if !s.opens('[') {
		return nil
	}
	var out []int
	for s.d.More() {
		start := int(s.d.InputOffset())
		start += len(s.data[start:]) - len(bytes.TrimLeft(s.data[start:], ", \t\r\n"))
		s.line += bytes.Count(s.data[s.at:start], []byte("\n"))
		s.at = start
		out = append(out, s.line)
		var skipped json.RawMessage
		if s.d.Decode(&skipped) != nil {
			return nil
		}
	}
	return out
}

// sourcePlaces are the lines of a PyTorch source, with files as a user would name them.
func sourcePlaces(src *hub.Source, model *torch.Model) []Place {
	names := map[string]string{}
	out := make([]Place, len(model.Lines))
	for i, at := range model.Lines {
		if at.Line == 0 {
			continue
		}
		name, known := names[at.File]
		if !known {
			name = filepath.Join(src.Dir, filepath.FromSlash(at.File))
			if at.File == src.Main {
				name = src.Path
			} else if wd, err := os.Getwd(); err == nil {
				if rel, err := filepath.Rel(wd, name); err == nil {
					name = rel
				}
			}
			names[at.File] = name
		}
		out[i] = Place{name, at.Line}
	}
	return out
}
