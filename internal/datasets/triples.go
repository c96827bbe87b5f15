package datasets

import (
	"bytes"
	"encoding/json"
	"math"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/internal/rules"
	"github.com/modelverifier/verifier/truth"
)

var _ = define(Dataset{
	order: 7, Key: "outcome-triples", Name: "Designs, what the rules say of them, and what came of training",
	Unit: "trained graphs", License: "MIT",
	About: "Classifiers that were drawn with good and bad choices and trained for real. Each row is a triple: the " +
		"design, what the rules find in it " +
		"before it is trained, and its curves. Pairs closer than the noise between seeds say nothing: " +
		"docs/outcomes.md has that noise.",
	Made: "go run ./truth/outcomes, then truth/outcomes/fit.py on a machine with PyTorch and a GPU (docs/outcomes.md)",
	Row: members(
		field("id", text, "its name"),
		field("dataset", one("mnist", "fashion", "cifar10", "digits", "cancer"), "what it was trained on"),
		field("family", text, "what kind of network was drawn"),
		field("sealed", boolean, "whether it was kept aside while rules and weights were found"),
		field("choices", texts, "what was drawn: widths, activations, normalisation, shortcuts, dropout, …"),
		field("model", model, "the design, as a request carries it"),
		field("findings", members(
			field("fingerprint", print8, "eight hex digits that name the structure"),
			field("rules", list(text), "every rule that finds something in it, by id; those that rank alone asks among them"),
			field("weight", whole, "what its outcome flags weigh in the order of rank: less is better"),
			field("params", whole, "trained parameters"),
			field("flops", whole, "of the forward pass of one sample"),
			field("depth", whole, "layers with weights on the longest way through"),
		), "what is said of it without training it"),
		field("outcome", members(
			field("accuracy", share, "mean validation accuracy after the last epoch, over the seeds of the recipe adam"),
			field("seeds", whole, "how many there are"),
			field("runs", list(members(
				field("recipe", one("adam", "sgd"), ""),
				field("seed", whole, ""),
				field("curve", list(list(null(number))), "after each epoch: training loss, validation loss, validation "+
					"accuracy; null where it is no number"),
			)), "every run"),
			field("scores", kind(map[string]any{"type": "object",
				"additionalProperties": map[string]any{"type": []string{"number", "null"}}}),
				"NASWOT, synflow and gradient norm at initialisation, computed in PyTorch; null where not defined"),
		), "what came of it"),
	),
	lines: func() []byte { return jsonLines(tripleRows()) },
	count: func() int { return linesIn(truth.Outcomes) - 1 }, // the first says what the others were measured with
})

// trained is a row of truth/outcomes.jsonl.gz.
type trained struct {
	ID, Dataset, Family, Graph string
	Sealed                     bool
	Choices                    map[string]string
	Params, FLOPs, Depth       int64
	Runs                       []trainedRun
	Scores                     map[string]*float64
}

type trainedRun struct {
	Recipe string       `json:"recipe"`
	Seed   int64        `json:"seed"`
	Curve  [][]*float64 `json:"curve"`
}

// triple is a row of the dataset.
type triple struct {
	ID       string            `json:"id"`
	Dataset  string            `json:"dataset"`
	Family   string            `json:"family"`
	Sealed   bool              `json:"sealed"`
	Choices  map[string]string `json:"choices"`
	Model    json.RawMessage   `json:"model"`
	Findings tripleFindings    `json:"findings"`
	Outcome  tripleOutcome     `json:"outcome"`
}

type tripleFindings struct {
	Fingerprint string   `json:"fingerprint"`
	Rules       []string `json:"rules"`
	Weight      int      `json:"weight"`
	Params      int64    `json:"params"`
	FLOPs       int64    `json:"flops"`
	Depth       int64    `json:"depth"`
}

type tripleOutcome struct {
	Accuracy float64             `json:"accuracy"`
	Seeds    int                 `json:"seeds"`
	Runs     []trainedRun        `json:"runs"`
	Scores   map[string]*float64 `json:"scores"`
}

func tripleRows() []triple {
	var out []triple
	first := true
	each(unpack("outcomes.jsonl.gz", truth.Outcomes), func(line []byte) {
		if first { // it says what the others were measured with
			first = false
			return
		}
		var d trained
		read("outcomes.jsonl.gz", line, &d)
		g := parse(d.Graph)
		row := triple{ID: d.ID, Dataset: d.Dataset, Family: d.Family, Sealed: d.Sealed, Choices: d.Choices,
			Model:    bytes.TrimSpace(compact(g)),
			Findings: judged(g), Outcome: tripleOutcome{Runs: d.Runs, Scores: d.Scores}}
		row.Findings.Depth = d.Depth
		row.Outcome.Accuracy, row.Outcome.Seeds = lastAccuracy(d.Runs)
		out = append(out, row)
	})
	return out
}

// judged is what the rules say of a design. It normalises the graph.
func judged(g *graph.Graph) tripleFindings {
	g.Normalize(catalog.Vocabulary)
	res := infer.Walk(g)
	f := tripleFindings{Fingerprint: res.Fingerprint(), Rules: []string{}, Params: res.Params, FLOPs: res.FLOPs}
	seen := map[string]bool{}
	for _, found := range rules.All(res) {
		if r := found.Rule; !seen[r.ID] {
			seen[r.ID] = true
			f.Rules = append(f.Rules, r.ID)
			f.Weight += r.Weight()
		}
	}
	return f
}

// lastAccuracy is the mean of the last epochs of the first recipe, to six digits: sums of a few numbers differ in the
// last bits with the order in which they are added.
func lastAccuracy(runs []trainedRun) (mean float64, seeds int) {
	for _, r := range runs {
		if last := r.Curve[len(r.Curve)-1]; r.Recipe == "adam" && last[2] != nil {
			mean += *last[2]
			seeds++
		}
	}
	return math.Round(mean/float64(max(1, seeds))*1e6) / 1e6, seeds
}
