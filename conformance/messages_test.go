package conformance

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/modelverifier/verifier/internal/action/all"
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/hardware"
	"github.com/modelverifier/verifier/internal/rules"
	"github.com/modelverifier/verifier/models"
)

// messagesFile holds an example or three of everything that the product says, for a person to read.
const messagesFile = "messages.txt"

// messages are the sentences of answers, by their template: what is left when numbers, shapes and names are taken out.
type messages map[string]map[string]bool

var (
	quotedWord = regexp.MustCompile(`"[^"]*"`)
	aShape     = regexp.MustCompile(`\[[-\d,x× ]*\]`)
	aNumber    = regexp.MustCompile(`\d[\d,.]*`)
	aUnit      = regexp.MustCompile(`# ([KMGTP]i?B|B|[KMGTP]?FLOP|ms|s|min|h|d|µs)\b`)
	aStructure = regexp.MustCompile(`\b[0-9a-f]{8}\b`)
	aWord      = regexp.MustCompile(`[A-Za-z][A-Za-z0-9_#]*`)
)

// vocabulary are the words of the catalogue, which are a matter of the model and not of the sentence.
var vocabulary = func() map[string]string {
	out := map[string]string{}
	for _, t := range catalog.Types() {
		for i := range t.Params {
			if p := t.Params[i].Name; strings.ToLower(p) != p { // others are words of English too
				out[p] = "P"
			}
		}
	}
	for _, t := range catalog.Types() {
		out[t.ID] = "T"
		out[t.ID+"_#"] = "T"
	}
	return out
}()

// cardNames takes the names of cards and of bundled models out, which are a matter of the model too.
var cardNames = func() *strings.Replacer {
	var out []string
	for _, g := range hardware.GPUs() {
		out = append(out, g.Name, "G")
	}
	for _, e := range models.Entries() {
		out = append(out, e.Name, "M")
	}
	return strings.NewReplacer(out...)
}()

func template(s string) string {
	s = quotedWord.ReplaceAllString(s, `"Q"`)
	s = aStructure.ReplaceAllString(aShape.ReplaceAllString(s, "[S]"), "F")
	s = aUnit.ReplaceAllString(aNumber.ReplaceAllString(cardNames.Replace(s), "#"), "# U")
	return aWord.ReplaceAllStringFunc(s, func(w string) string {
		if short, ok := vocabulary[w]; ok {
			return short
		}
		return w
	})
}

// add takes a sentence apart into its clauses; what has no blank is a name or a figure.
func (m messages) add(s string) {
	for clause := range strings.SplitSeq(s, "; ") {
		if clause = strings.TrimSpace(clause); !strings.Contains(clause, " ") {
			continue
		}
		key := template(clause)
		if m[key] == nil {
			m[key] = map[string]bool{}
		}
		m[key][clause] = true
	}
}

var (
	markup = regexp.MustCompile(`</?sub>|<!--.*-->|[*` + "`" + `|]|^[-#] `)
	cells  = regexp.MustCompile(`  +| \| `)
)

// lines takes a text of several lines apart. What is indented goes on with the line above; two blanks set a label off, and cells.
func (m messages) lines(text string) {
	at := ""
	end := func() {
		for _, cell := range cells.Split(at, -1) {
			m.add(strings.Join(strings.Fields(markup.ReplaceAllString(cell, "")), " "))
		}
	}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if hang := strings.TrimLeft(line, " "); at != "" && len(line)-len(hang) >= 2 && !cells.MatchString(hang) {
			at += " " + hang
			continue
		}
		end()
		at = line
	}
	end()
}

// sentences are members of answers that hold none: they are the caller's, or code.
var notSentences = map[string]bool{"name": true, "command": true, "id": true, "component": true, "componentName": true, "inferredBy": true, "graph": true}

// body takes the sentences of an answer.
func (m messages) body(data []byte) {
	var v any
	if json.Unmarshal(data, &v) == nil {
		m.value("", v)
	}
}

func (m messages) value(key string, v any) {
	switch v := v.(type) {
	case string:
		if key == "text" || key == "markdown" {
			m.lines(v)
		} else if !notSentences[key] {
			m.add(v)
		}
	case []any:
		for _, item := range v {
			m.value(key, item)
		}
	case map[string]any:
		for name, item := range v {
			m.value(name, item)
		}
	}
}

// ask sends a request to an action and takes what it says.
func (m messages) ask(action, body string) {
	_, got := all.Answer(action, []byte(body), graph.ServiceLimits)
	m.body(got)
}

// collect asks everything that there is to ask: the examples of the catalogues, the conformance cases, PyTorch's rows, the bundled
// models in many settings, graphs that were broken, and what the scripts of the command line expect.
func collect(t *testing.T) messages {
	m := messages{}
	for _, c := range load(t) {
		_, got := answer(t, c)
		m.body(got)
	}
	for _, r := range rules.Rules() {
		m.add(r.Title)
		for _, text := range r.Examples {
			m.broken(t, text)
		}
	}
	m.rows(t, "layers", 1)
	m.rows(t, "more", 1)
	m.rows(t, "edges", 1)
	m.graphs(t)
	m.settings(t)
	m.scripts(t)
	return m
}

// rows asks about single layers.
func (m messages) rows(t *testing.T, file string, step int) {
	for i, line := range unpacked(t, "../truth/"+file+".jsonl.gz") {
		var r struct {
			Type   string
			Params json.RawMessage
			Inputs [][]int64
		}
		if i%step != 0 || json.Unmarshal(line, &r) != nil {
			continue
		}
		var components, connections []string
		for k, shape := range r.Inputs {
			data, _ := json.Marshal(shape)
			components = append(components, fmt.Sprintf(`{"id":"x%d","type":"input","params":{"shape":%s}}`, k, data))
			connections = append(connections, fmt.Sprintf(`{"from":"x%d","to":"a"}`, k))
		}
		components = append(components, fmt.Sprintf(`{"id":"a","type":%q,"params":%s},{"id":"y","type":"output"}`, r.Type, r.Params))
		connections = append(connections, `{"from":"a","to":"y"}`)
		m.ask("lint", `{"model":{"components":[`+strings.Join(components, ",")+`],"connections":[`+strings.Join(connections, ",")+`]}}`)
	}
}

func (m messages) graphs(t *testing.T) {
	for _, line := range unpacked(t, "../truth/graphs.jsonl.gz") {
		var r struct{ Graph json.RawMessage }
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatal(err)
		}
		m.ask("check", `{"model":`+string(r.Graph)+`}`)
	}
}

// broken changes a graph of the notation a little, in every place: sizes of nothing, one and two, and what is connected.
func (m messages) broken(t *testing.T, text string) {
	g, err := graph.Parse(strings.ReplaceAll(text, "// want", ""))
	if err != nil {
		return // holds something that only the rule's own test reads
	}
	m.ask("lint", `{"model":`+string(g.AppendJSON(nil))+`}`)
	m.ask("check", `{"model":`+string(g.AppendJSON(nil))+`}`)
	doc := string(g.AppendJSON(nil))
	for _, at := range aNumber.FindAllStringIndex(doc, 40) {
		if at[0] > 0 && strings.ContainsRune(`:[,-`, rune(doc[at[0]-1])) {
			for _, n := range []string{"0", "1", "2", "-1", "1.5", "7"} {
				m.ask("lint", `{"model":`+doc[:at[0]]+n+doc[at[1]:]+`}`)
			}
		}
	}
	for i := range g.Connections {
		h := g.Clone()
		h.Connections = slices.Delete(h.Connections, i, i+1)
		m.ask("lint", `{"model":`+string(h.AppendJSON(nil))+`}`)
		h = g.Clone()
		h.Connections = append(h.Connections, h.Connections[i])
		m.ask("lint", `{"model":`+string(h.AppendJSON(nil))+`}`)
	}
}

// asked are what models are asked about beside themselves.
var asked = map[string][]string{
	"check": {
		``, `,"data":{"seq_len":1}`, `,"data":{"seq_len":9999999,"tokenizer_size":999999,"classes":1}`, `,"data":{"image":[1,1,1],"classes":2,"samples":1,"class_counts":[1,99]}`,
		`,"layout":{"tp":1}`, `,"layout":{"tp":2,"pp":2,"dp":2,"micro_batch":1,"global_batch":8,"gpu":"T4"}`, `,"layout":{"tp":3,"pp":5,"dp":1,"micro_batch":2,"global_batch":3,"gpu":"H100"}`,
		`,"serve":{"command":"vllm serve x --tensor-parallel-size 1","gpu":"T4","gpus":1}`, `,"serve":{"command":"vllm serve x --tensor-parallel-size 3 --max-model-len 999999999","gpu":"H100","gpus":2}`,
		`,"policy":{"max_params":1,"max_layers":1,"must_fit":"T4","max_memory_gb":0.1,"max_cost_usd":0.01,"forbid_types":["relu","linear"],"require_types":["moeLayer"]}`,
	},
	"plan": {
		``, `,"training":{"gpu":"T4","batch":1}`, `,"training":{"gpu":"T4","batch":4096,"samples":1,"epochs":1}`, `,"training":{"samples":2,"epochs":2,"batch":2}`, `,"seq_len":1`, `,"seq_len":131072,"attention":"eager"`,
		`,"inference":{"batch":1,"prompt":1,"generated":1}`, `,"policy":{"max_params":"1M","max_layers":2,"must_fit":"T4","max_memory_gb":1,"max_cost_usd":1}`,
	},
}

// settings asks about bundled models in many ways, and about what became of one since another.
func (m messages) settings(t *testing.T) {
	ids := []string{"lenet5", "resnet18", "gpt2-small", "llama-3.2-1b", "llama-3.1-70b", "mamba-130m", "gcn-node-classifier", "lstm-classifier", "moe-decoder", "vit-b-16", "t5-small", "clip-vit-b-32"}
	var docs []string
	for _, id := range ids {
		g, err := models.Open(id)
		if err != nil {
			t.Fatal(err)
		}
		docs = append(docs, string(g.AppendJSON(nil)))
	}
	for i, doc := range docs {
		for action, list := range asked {
			for _, more := range list {
				m.ask(action, `{"model":`+doc+more+`}`)
			}
		}
		other := docs[(i+1)%len(docs)]
		m.ask("plan", `{"model":`+doc+`,"base":`+other+`}`)
		for _, tie := range []string{``, `,"tieBreak":"cost"`, `,"tieBreak":"params"`} {
			m.ask("rank", `{"candidates":[{"model":`+doc+`}]`+tie+`}`)
			m.ask("rank", `{"candidates":[{"model":`+doc+`},{"model":`+other+`},{"model":{"components":[]}}]`+tie+`}`)
		}
	}
}

// scripts takes what the command line is expected to print.
func (m messages) scripts(t *testing.T) {
	files, err := filepath.Glob("../internal/cli/testdata/script/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no scripts")
	}
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range a.Files {
			if strings.HasSuffix(f.Name, ".txt") && json.Valid(f.Data) {
				m.body(f.Data)
			} else if strings.HasSuffix(f.Name, ".txt") {
				m.lines(string(f.Data))
			}
		}
	}
}

func unpacked(t *testing.T, file string) [][]byte {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Split(bytes.TrimSpace(text), []byte("\n"))
}

// sample is what is shown of a template: one with a 1, one with a 0 and one with neither.
func sample(instances map[string]bool) []string {
	var out []string
	rest := slices.SortedFunc(maps.Keys(instances), func(a, b string) int {
		if len(a) != len(b) {
			return len(a) - len(b)
		}
		return strings.Compare(a, b)
	})
	for _, want := range []string{"1", "0", ""} {
		for _, s := range rest {
			if has := slices.Contains(aNumber.FindAllString(s, -1), want); (has || want == "") && !slices.Contains(out, s) {
				out = append(out, s)
				break
			}
		}
	}
	return out
}

// TestEverythingThatIsSaid writes an example of every sentence into one file, for a person to read, and holds all of them to grammar.
func TestEverythingThatIsSaid(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: asks 30,000 questions")
	}
	m := collect(t)
	var got strings.Builder
	count := 0
	for _, key := range slices.Sorted(maps.Keys(m)) {
		for s := range m[key] {
			count++
			if wrong := faults(s); wrong != "" {
				t.Errorf("%s: %s", wrong, s)
			}
		}
		for _, s := range sample(m[key]) {
			got.WriteString(s + "\n")
		}
	}
	t.Logf("%d sentences of %d kinds", count, len(m))
	if *update {
		if err := os.WriteFile(messagesFile, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(messagesFile)
	if err != nil || string(want) != got.String() {
		t.Errorf("%s is not what is said: go test ./conformance -run Said -update, and read what changed (%v)", messagesFile, err)
	}
}
