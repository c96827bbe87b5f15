package train

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/hardware"
	"github.com/modelverifier/verifier/internal/quantity"
	"github.com/modelverifier/verifier/internal/spelling"
	"github.com/modelverifier/verifier/internal/training"
)

// Decode reads a request. The model and the dataset must be there.
func Decode(body []byte, limits graph.Limits) (*Request, error) {
	limits.AnyNumbers = "config" // which is clamped, however large
	f := action.Read(body, limits, action.Model)
	r := &Request{Model: f.Model(), Dataset: dataset(f), Config: config(f), GPU: card(f), Source: source(f)}
	if err := f.Err(); err != nil {
		return nil, err
	}
	return r, nil
}

func dataset(f *action.Fields) *training.Dataset {
	name := f.Str("dataset")
	if !f.Given("dataset") {
		f.Fail(missing("dataset", training.DatasetNames()))
		return nil
	}
	found := training.Find(name)
	if found == nil {
		f.Fail(Unknown("dataset", name, training.DatasetNames(), spelling.Nearest(name, training.DatasetNames())))
	}
	return found
}

func missing(path string, allowed []string) error {
	e := action.Errorf(graph.CodeMissing, path, "is missing: it must be one of %s", quantity.Own(strings.Join(allowed, ", ")))
	e.Allowed = allowed
	return e
}

// Cards lists the names of the cards that a run can be asked for, the cheapest hour first.
func Cards() (names []string) {
	for _, g := range hardware.GPUs() {
		if g.Managed {
			names = append(names, g.Name)
		}
	}
	return names
}

func card(f *action.Fields) string {
	name := f.Str("gpu")
	if !f.Given("gpu") || f.Err() != nil {
		return ""
	}
	g := hardware.Lookup(name)
	if g == nil || !g.Managed {
		near := hardware.Nearest(name)
		if !contains(Cards(), near) {
			near = ""
		}
		f.Fail(Unknown("gpu", name, Cards(), near))
		return ""
	}
	return g.Name
}

// Unknown is the error of a word that is none of those allowed, with the one that was meant where one is near.
func Unknown(path, got string, allowed []string, near string) error {
	if len(got) > 40 {
		got = strings.ToValidUTF8(got[:40], "") + "…"
	}
	meant := ""
	if near != "" {
		meant = "; did you mean " + near + "?"
	}
	e := action.Errorf(action.CodeValue, path, "is %q but must be one of %s%s", got, quantity.Own(strings.Join(allowed, ", ")), quantity.Own(meant))
	e.Allowed = allowed
	return e
}

// config reads the configuration. It is clamped and never refused: what is of another type than it should be is left at its default,
// as if it had not been sent, and so is a config that is no object; other keys are dropped. A fraction of an epoch or a sample is cut
// off, and a number that is too large for any type is the largest that there is.
func config(f *action.Fields) training.Config {
	c := training.Defaults
	raw, _ := f.Raw("config")
	var members map[string]json.RawMessage
	if json.Unmarshal([]byte(raw), &members) != nil {
		return c.Clamped()
	}
	whole := func(name string, into *int64) {
		if n, ok := number(members[name]); ok {
			*into = int64(math.Trunc(min(max(n, math.MinInt32), math.MaxInt32)))
		}
	}
	whole("epochs", &c.Epochs)
	whole("batchSize", &c.BatchSize)
	if n, ok := number(members["lr"]); ok {
		c.LR = n
	}
	var word string
	if json.Unmarshal(members["optimizer"], &word) == nil && word != "" {
		c.Optimizer = word
	}
	return c.Clamped()
}

// number reads a JSON number, of any size.
func number(raw json.RawMessage) (float64, bool) {
	text := string(raw)
	if text == "" || text[0] != '-' && (text[0] < '0' || text[0] > '9') {
		return 0, false
	}
	n, err := strconv.ParseFloat(text, 64) // one that is too large is infinite, with an error
	return n, err == nil || math.IsInf(n, 0)
}

// maxRepo is how many bytes the name of a repository may have: the ledger's row of the run has room for so many.
const maxRepo = 150

func source(f *action.Fields) (s Source) {
	o := f.Object("source")
	if o == nil {
		return s
	}
	s.Repo = strings.Clone(o.Str("repo"))
	s.PR, _ = o.Int("pr", 1)
	if len(s.Repo) > maxRepo {
		e := action.Errorf(action.CodeRange, o.Path("repo"), "has %d bytes but must have at most %d", len(s.Repo), maxRepo)
		e.Limit = maxRepo
		o.Fail(e)
	}
	if !utf8.ValidString(s.Repo) || strings.ContainsFunc(s.Repo, func(r rune) bool { return !unicode.IsPrint(r) }) {
		o.Fail(action.Errorf(action.CodeForm, o.Path("repo"), "must be printable text on one line"))
	}
	f.Close(o)
	return s
}
