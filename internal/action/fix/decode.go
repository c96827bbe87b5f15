package fix

import (
	"strings"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/patch"
)

// Bounds of a request. A source of more than MaxFileBytes is not followed by the reader either.
const (
	DefaultMaxPatches = 8
	MostPatches       = 32
	MaxFiles          = 64
	MaxFileBytes      = 512 << 10 // of one file
	MaxAllBytes       = 1 << 20   // of all files
	MaxFindings       = 200
	MaxWordBytes      = 4 << 10 // of the title, the detail or the stage of a finding
	maxPathBytes      = 500
	maxTargetBytes    = 600
)

// Decode reads a request. The model, the findings and the files must be there; the lists of findings may be empty.
func Decode(body []byte, limits graph.Limits) (*Request, error) {
	f := action.Read(body, limits, action.Model)
	r := &Request{Model: f.Model(), Findings: findings(f), Files: files(f), Policy: f.Policy(), MaxPatches: DefaultMaxPatches}
	if n, given := f.Int("maxPatches", 1); given {
		if n > MostPatches {
			e := action.Errorf(action.CodeRange, "maxPatches", "is %d but must be at most %d", n, MostPatches)
			e.Limit = MostPatches
			f.Fail(e)
		}
		r.MaxPatches = int(min(n, MostPatches))
	}
	r.Source = source(f)
	if err := f.Err(); err != nil {
		return nil, err
	}
	return r, nil
}

// must sees that a list is there.
func must(f *action.Fields, name, of string) {
	if f.Err() == nil && !f.Given(name) {
		f.Fail(action.Errorf(graph.CodeMissing, f.Path(name), "must be a list of %s", of))
	}
}

func findings(f *action.Fields) (all []Finding) {
	must(f, "findings", "objects with title, detail and stage; an empty one stands for all that blocks")
	for _, o := range f.Items("findings", MaxFindings) {
		w := Finding{Title: o.Str("title"), Detail: o.Str("detail"), Stage: o.Str("stage")}
		for name, word := range map[string]string{"title": w.Title, "detail": w.Detail, "stage": w.Stage} {
			long(o, name, word, MaxWordBytes)
		}
		if w.Title == "" && w.Detail == "" && o.Err() == nil {
			o.Fail(action.Errorf(graph.CodeMissing, o.Path("title"), "must be a string, as check gives it"))
		}
		// Other members, as severity and ruleId, are those of a finding that was passed on as check gave it.
		f.Fail(o.Err())
		all = append(all, Finding{strings.Clone(w.Title), strings.Clone(w.Detail), strings.Clone(w.Stage)})
	}
	return all
}

// long refuses a text that is longer than it may be.
func long(o *action.Fields, name, text string, most int) {
	if len(text) > most && o.Err() == nil {
		e := action.Errorf(graph.CodeBytes, o.Path(name), "has %d bytes but must have at most %d", len(text), most)
		e.Limit = int64(most)
		o.Fail(e)
	}
}

func files(f *action.Fields) (all []patch.File) {
	must(f, "files", "objects with path and text")
	seen, bytes := map[string]bool{}, 0
	for _, o := range f.Items("files", MaxFiles) {
		file := patch.File{Path: strings.Clone(o.Str("path")), Text: strings.Clone(o.Str("text"))}
		for _, name := range []string{"path", "text"} {
			if !o.Given(name) && o.Err() == nil {
				o.Fail(action.Errorf(graph.CodeMissing, o.Path(name), "must be a string"))
			}
		}
		long(o, "path", file.Path, maxPathBytes)
		long(o, "text", file.Text, MaxFileBytes)
		if err := patch.CheckPath(file.Path); err != nil && o.Err() == nil {
			o.Fail(action.Errorf(action.CodeForm, o.Path("path"), "%s", err.Error()))
		}
		if seen[file.Path] && o.Err() == nil {
			o.Fail(action.Errorf(action.CodeForm, o.Path("path"), "%s was sent twice", file.Path))
		}
		if bytes += len(file.Text); bytes > MaxAllBytes && o.Err() == nil {
			e := action.Errorf(graph.CodeBytes, "files", "have more than %d bytes of text together", MaxAllBytes)
			e.Limit = MaxAllBytes
			o.Fail(e)
		}
		seen[file.Path] = true
		f.Close(o)
		all = append(all, file)
	}
	return all
}

func source(f *action.Fields) Source {
	o := f.Object("source")
	if o == nil {
		return Source{}
	}
	s := Source{Target: strings.Clone(o.Str("target")), Input: strings.Clone(o.Str("input"))}
	o.Str("kind") // plan takes it; here the target says enough
	long(o, "target", s.Target, maxTargetBytes)
	long(o, "input", s.Input, maxTargetBytes)
	f.Close(o)
	return s
}
