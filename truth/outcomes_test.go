package truth

import (
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"testing"

	"github.com/modelverifier/verifier/internal/action/rank"
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/internal/rules"
)

var writeOutcomes = flag.Bool("outcomes-update", false, "write what the trained designs say into the files that carry it")

// triedFlags is at least how many rules and limits were tried on the designs that were not kept aside: intervals are corrected for it.
const triedFlags = 124

// trained is one design with what came of it.
type trained struct {
	ID, Dataset, Family, Graph string
	Sealed                     bool
	Params, FLOPs              int64
	Depth                      int
	Runs                       []struct {
		Recipe string
		Seed   int
		Curve  [][]*float64
	}
	Scores map[string]*float64

	accuracy, second float64 // mean of the last epoch over the seeds of the first recipe; the second recipe's, NaN where it has none
	seeds            []float64
	fired            map[string]bool
	weight           int
}

// trainedDesigns reads every design, and runs the rules on it.
func trainedDesigns(t *testing.T) []*trained {
	t.Helper()
	var out []*trained
	first := true
	lines(t, "outcomes.jsonl.gz", func(line []byte) {
		if first {
			first = false
			return
		}
		d := &trained{second: math.NaN(), fired: map[string]bool{}}
		if err := json.Unmarshal(line, d); err != nil {
			t.Fatal(err)
		}
		for _, r := range d.Runs {
			last := *r.Curve[len(r.Curve)-1][2]
			if r.Recipe == "adam" {
				d.seeds = append(d.seeds, last)
				d.accuracy += last
			} else {
				d.second = last
			}
		}
		d.accuracy /= float64(len(d.seeds))
		d.judge(t)
		out = append(out, d)
	})
	return out
}

func (d *trained) judge(t *testing.T) {
	t.Helper()
	g, err := graph.Parse(d.Graph)
	if err != nil {
		t.Fatalf("%s: %v", d.ID, err)
	}
	g.Normalize(catalog.Vocabulary)
	res := infer.Walk(g)
	findings := rules.All(res)
	if rules.Blocked(findings) || res.Params != d.Params || res.FLOPs != d.FLOPs {
		t.Errorf("%s ran in PyTorch with %d weights and %d FLOPs; now %d and %d, blocked %t", d.ID, d.Params, d.FLOPs, res.Params, res.FLOPs, rules.Blocked(findings))
	}
	for _, f := range findings {
		if !d.fired[f.Rule.ID] {
			d.fired[f.Rule.ID] = true
			d.weight += f.Rule.Weight()
		}
	}
}

// noiseBetweenSeeds is, for each dataset, the difference that nine of ten pairs of seeds of one design stay within.
func noiseBetweenSeeds(designs []*trained) map[string]float64 {
	differences := map[string][]float64{}
	for _, d := range designs {
		for i := range d.seeds {
			for j := range i {
				differences[d.Dataset] = append(differences[d.Dataset], math.Abs(d.seeds[i]-d.seeds[j]))
			}
		}
	}
	out := map[string]float64{}
	for name, list := range differences {
		sort.Float64s(list)
		out[name] = list[len(list)*9/10]
	}
	return out
}

// pairOf is two designs, the better one first, as positions in a list.
type pairOf struct{ better, worse int }

// pairsOf lists the pairs of designs for one dataset that differ by more than the noise.
func pairsOf(designs []*trained, noise map[string]float64, accuracy func(*trained) float64) (out []pairOf) {
	for i, a := range designs {
		for j, b := range designs[:i] {
			if a.Dataset != b.Dataset {
				continue
			}
			switch difference := accuracy(a) - accuracy(b); {
			case difference > noise[a.Dataset]:
				out = append(out, pairOf{i, j})
			case -difference > noise[a.Dataset]:
				out = append(out, pairOf{j, i})
			}
		}
	}
	return out
}

// share is how many of some pairs a score orders rightly. A score orders a pair if it differs.
type share struct{ right, decided, of float64 }

func (s share) accuracy() float64 { return s.right / math.Max(1, s.decided) }
func (s share) coverage() float64 { return s.decided / math.Max(1, s.of) }

// order counts pairs, each as often as its designs were drawn; times is nil where each was once.
func order(pairs []pairOf, score []float64, times []float64) (s share) {
	for _, p := range pairs {
		n := 1.0
		if times != nil {
			n = times[p.better] * times[p.worse]
		}
		s.of += n
		if a, b := score[p.better], score[p.worse]; a != b {
			s.decided += n
			if a > b {
				s.right += n
			}
		}
	}
	return s
}

// deviation is that of the accuracy of a score when the designs are drawn again.
func deviation(designs []*trained, pairs []pairOf, score []float64) float64 {
	var differ []pairOf
	for _, p := range pairs {
		if score[p.better] != score[p.worse] {
			differ = append(differ, p)
		}
	}
	rng := rand.New(rand.NewPCG(1, 2))
	const draws = 100
	var sum, squares float64
	for range draws {
		times := make([]float64, len(designs))
		for range designs {
			times[rng.IntN(len(designs))]++
		}
		a := order(differ, score, times).accuracy()
		sum, squares = sum+a, squares+a*a
	}
	return math.Sqrt(math.Max(0, squares/draws-(sum/draws)*(sum/draws)))
}

func scoreBy(designs []*trained, f func(*trained) float64) []float64 {
	out := make([]float64, len(designs))
	for i, d := range designs {
		out[i] = f(d)
	}
	return out
}

// proxy reads a score at initialisation; where it is not defined it is the lowest.
func proxy(name string) func(*trained) float64 {
	return func(d *trained) float64 {
		if v := d.Scores[name]; v != nil {
			return *v
		}
		return math.Inf(-1)
	}
}

var comparators = map[string]func(*trained) float64{
	"params":   func(d *trained) float64 { return float64(d.Params) },
	"flops":    func(d *trained) float64 { return float64(d.FLOPs) },
	"depth":    func(d *trained) float64 { return float64(d.Depth) },
	"naswot":   proxy("naswot"),
	"synflow":  proxy("synflow"),
	"gradNorm": proxy("gradNorm"),
}

func byWeight(d *trained) float64 { return -float64(d.weight) }

func lastAccuracy(d *trained) float64 { return d.accuracy }

// decided keeps the pairs that the ranking decides.
func decided(pairs []pairOf, score []float64) []pairOf {
	return slices.DeleteFunc(slices.Clone(pairs), func(p pairOf) bool { return score[p.better] == score[p.worse] })
}

func round4(v float64) float64 { return math.Round(v*10000) / 10000 }

// TestOutcomes holds what rank and the pages of rules say of trained outcomes to the designs that were trained.
func TestOutcomes(t *testing.T) {
	designs := trainedDesigns(t)
	open := slices.DeleteFunc(slices.Clone(designs), func(d *trained) bool { return d.Sealed })
	aside := slices.DeleteFunc(slices.Clone(designs), func(d *trained) bool { return !d.Sealed })
	noise := noiseBetweenSeeds(open)
	fmt.Printf("%d designs, %d kept aside; noise between seeds %.4v\n", len(designs), len(aside), noise)
	holdOutcomes(t, open, aside, noise)
	printOrder("found with", open, pairsOf(open, noise, lastAccuracy), byWeight)
	if *opened {
		holdOrdering(t, aside, noise)
		printSplit(aside, noise)
	}
}

// printSplit prints how well the designs that were kept aside are ordered on each dataset, and under the second recipe.
func printSplit(aside []*trained, noise map[string]float64) {
	for _, name := range sortedKeys(noise) {
		some := slices.DeleteFunc(slices.Clone(aside), func(d *trained) bool { return d.Dataset != name })
		printOrder("kept aside, "+name, some, pairsOf(some, noise, lastAccuracy), byWeight)
	}
	again := slices.DeleteFunc(slices.Clone(aside), func(d *trained) bool { return math.IsNaN(d.second) })
	printOrder("kept aside, first recipe", again, pairsOf(again, noise, lastAccuracy), byWeight)
	printOrder("kept aside, second recipe", again, pairsOf(again, noise, secondAccuracy), byWeight)
}

func secondAccuracy(d *trained) float64 { return d.second }

var opened = flag.Bool("opened", true, "look at the designs that were kept aside, too")

func printOrder(name string, designs []*trained, pairs []pairOf, f func(*trained) float64) {
	score := scoreBy(designs, f)
	s := order(pairs, score, nil)
	fmt.Printf("%-34s %5.1f %% of the decided, %5.1f %% decided, %d designs, %d pairs\n", name, 100*s.accuracy(), 100*s.coverage(), len(designs), len(pairs))
	same := decided(pairs, score)
	for _, c := range sortedKeys(comparators) {
		all, on := order(pairs, scoreBy(designs, comparators[c]), nil), order(same, scoreBy(designs, comparators[c]), nil)
		fmt.Printf("  %-10s on the same pairs %5.1f %%; on all %5.1f %% of %5.1f %%\n", c, 100*on.accuracy(), 100*all.accuracy(), 100*all.coverage())
	}
}

// holdOutcomes compares outcomes.json with the rows.
func holdOutcomes(t *testing.T, open, aside []*trained, noise map[string]float64) {
	t.Helper()
	want := map[string]*rules.Outcome{}
	pairs, kept := pairsOf(open, noise, lastAccuracy), pairsOf(aside, noise, lastAccuracy)
	corrected := math.Sqrt2 * math.Erfinv(1-0.05/triedFlags)
	for _, r := range rules.Rules() {
		silent := func(d *trained) float64 {
			if d.fired[r.ID] {
				return 0
			}
			return 1
		}
		score := scoreBy(open, silent)
		o := &rules.Outcome{Weight: r.Weight()}
		for _, s := range score {
			o.Designs += count(s == 0)
		}
		if o.Designs == 0 {
			continue
		}
		s := order(pairs, score, nil)
		e := corrected * deviation(open, pairs, score)
		o.Pairs, o.Worse = int(s.decided), round4(s.accuracy())
		o.Low, o.High = round4(math.Max(0, s.accuracy()-e)), round4(math.Min(1, s.accuracy()+e))
		if *opened {
			s = order(kept, scoreBy(aside, silent), nil)
			o.SealedPairs, o.SealedWorse = int(s.decided), round4(s.accuracy())
		}
		want[r.ID] = o
		fmt.Printf("%-26s weight %d, %5d designs, %6d pairs, worse in %.3f (%.3f to %.3f), kept aside %.3f of %d\n", r.ID, o.Weight, o.Designs, o.Pairs, o.Worse, o.Low, o.High, o.SealedWorse, o.SealedPairs)
	}
	hold(t, filepath.Join("..", "internal", "rules", "outcomes.json"), want, rules.Outcomes)
}

// hold compares what a file says with what the rows say, or writes it.
func hold(t *testing.T, file string, want, got any) {
	t.Helper()
	a, err := json.MarshalIndent(want, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	if *writeOutcomes {
		if err := os.WriteFile(file, append(a, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	b, err := json.MarshalIndent(got, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	if string(a) != string(b) {
		t.Errorf("%s does not say what the rows say: go test ./truth -run TestOutcomes -outcomes-update; the rows say\n%s", file, a)
	}
}

// holdOrdering compares what rank says of its order with the designs that were kept aside.
func holdOrdering(t *testing.T, aside []*trained, noise map[string]float64) {
	t.Helper()
	pairs, score := pairsOf(aside, noise, lastAccuracy), scoreBy(aside, byWeight)
	printOrder("kept aside", aside, pairs, byWeight)
	s, got := order(pairs, score, nil), *rank.Measured.Ordering
	e := 1.96 * deviation(aside, pairs, score)
	accuracy, coverage := round4(s.accuracy()), round4(s.coverage())
	want := got
	want.PairwiseAccuracy, want.Coverage, want.SampleSize, want.CountedPairs, want.DecidedPairs = &accuracy, &coverage, len(aside), len(pairs), int(s.decided)
	want.Interval = []float64{round4(s.accuracy() - e), round4(s.accuracy() + e)}
	want.Comparators = map[string]float64{"chance": 0.5}
	same := decided(pairs, score)
	for name, f := range comparators {
		want.Comparators[name] = round4(order(same, scoreBy(aside, f), nil).accuracy())
	}
	calibration := rank.Measured
	calibration.Ordering = &want
	hold(t, filepath.Join("..", "internal", "action", "rank", "calibration.json"), calibration, rank.Measured)
	for name, a := range want.Comparators {
		if accuracy < a {
			t.Errorf("%s orders the same pairs better: %.3f, and the flags %.3f", name, a, accuracy)
		}
	}
}

func sortedKeys[V any](m map[string]V) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}
