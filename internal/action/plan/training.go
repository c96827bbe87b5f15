package plan

import (
	"errors"
	"slices"
	"strings"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/estimate"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/internal/quantity"
	"github.com/modelverifier/verifier/internal/solve"
	"github.com/modelverifier/verifier/internal/spelling"
)

// training reads the run that is to be estimated.
func training(f *action.Fields) (o estimate.Options, q solve.Question) {
	t := f.Object("training")
	if t == nil {
		return o, ""
	}
	o.Batch, _ = t.Int("batch", 1)
	o.Precision = t.Enum("precision", estimate.Precisions...)
	o.Optimizer = t.Enum("optimizer", estimate.Optimizers...)
	o.Epochs, _ = t.Int("epochs", 1)
	o.Samples, o.SamplesGiven = t.Int("samples", 1)
	o.Checkpointing = t.Bool("checkpointing")
	o.MicroBatch, _ = t.Int("microBatch", 1)
	o.FusedLoss = t.Bool("fusedLoss")
	o.Dropout = t.Bool("dropout")
	o.Expandable = t.Bool("expandableSegments")
	o.GPU = t.GPU("gpu")
	o.Autocast = t.Bool("autocast")
	o.Packing = t.Bool("packing")
	o.Shard = sharding(t)
	o.Objective = t.Enum("objective", estimate.Objectives...)
	if o.Completion, _ = t.Int("completion", 1); o.Completion > 0 && !o.Writes() {
		t.Fail(action.Errorf(action.CodeValue, t.Path("completion"), "is %d, but objective is neither grpo nor ppo", o.Completion))
	}
	o.Adapt = adaptation(t)
	if o.Base = t.Enum("quantized", estimate.Bases...); o.Base != "" && (o.Adapt == nil || o.Adapt.LoRA == nil) {
		t.Fail(action.Errorf(action.CodeValue, t.Path("quantized"), "is %q, but such weights are not trained: it takes lora", o.Base))
	}
	refuse(t, o.Validate())
	if q = solve.Question(t.Enum("solve", solve.Questions...)); q != "" && q.NeedsCard() && o.GPU == "" {
		t.Fail(action.Errorf(graph.CodeMissing, t.Path("gpu"), "must name the card that solve is asked for"))
	}
	f.Close(t)
	return o, q
}

// adaptation reads what is not trained, nil where everything is.
func adaptation(t *action.Fields) *estimate.Adaptation {
	a := &estimate.Adaptation{Frozen: patterns(t, "frozen")}
	if l := t.Object("lora"); l != nil {
		a.LoRA = &estimate.LoRA{Targets: targets(l, "targets")}
		var given bool
		if a.LoRA.Rank, given = l.Int("rank", 1); !given {
			l.Fail(action.Errorf(graph.CodeMissing, l.Path("rank"), "must be a whole number of at least 1"))
		}
		a.LoRA.Bits, a.LoRA.Dropout = adapterBits(l), dropout(l)
		t.Close(l)
	}
	if len(a.Frozen) == 0 && a.LoRA == nil {
		return nil
	}
	return a
}

// adapterBits reads the width of adapters, 0 where it is left out.
func adapterBits(l *action.Fields) int64 {
	bits, given := l.Int("bits", 1)
	if given && !slices.Contains(estimate.AdapterBits, bits) {
		l.Fail(action.Errorf(action.CodeValue, l.Path("bits"), "is %d but takes 16 or 32", bits))
	}
	return bits
}

// dropout reads a probability below 1.
func dropout(l *action.Fields) float64 {
	p := l.Float("dropout")
	if p < 0 || p >= 1 {
		l.Fail(action.Errorf(action.CodeRange, l.Path("dropout"), "is %v but takes a number from 0 up to 1", p))
	}
	return p
}

// patterns reads names of components.
func patterns(f *action.Fields, name string) []string {
	return parsed(f, name, estimate.ParsePattern)
}

// targets reads names of linear layers.
func targets(f *action.Fields, name string) []string { return parsed(f, name, estimate.ParseTarget) }

func parsed(f *action.Fields, name string, parse func(string) error) []string {
	list := f.Strings(name, estimate.MaxPatterns)
	for i, p := range list {
		switch err := parse(p); {
		case errors.Is(err, estimate.ErrTooLarge):
			f.Fail(action.Errorf(action.CodeForm, f.Path(action.Item(name, i)), "%s", err))
		case err != nil:
			f.Fail(action.Errorf(action.CodeForm, f.Path(action.Item(name, i)), "is not a pattern: a bracket is not closed"))
		}
	}
	return list
}

// inference reads how the trained model is used.
func inference(f *action.Fields) (o estimate.InferOptions) {
	t := f.Object("inference")
	if t == nil {
		return o
	}
	o.Batch, _ = t.Int("batch", 1)
	o.Precision = t.Enum("precision", estimate.InferPrecisions...)
	o.Prompt, _ = t.Int("prompt", 1)
	o.Generated, _ = t.Int("generated", 1)
	o.Images, _ = t.Int("images", 1)
	refuse(t, o.Validate())
	f.Close(t)
	return o
}

// refuse turns numbers that are too large into errors; all else was refused as it was read.
func refuse(t *action.Fields, problems []estimate.Problem) {
	for _, p := range problems {
		e := action.Errorf(action.CodeRange, t.Path(p.Field), "is %s but must be at most %d", p.Value, p.Max)
		e.Limit = p.Max
		t.Fail(e)
	}
}

// CheckNames refuses a name that is not in the model: of a component that is frozen, of a linear layer that gets an adapter. It refuses
// patterns that take longer to compare than the caller's limits allow.
func (r *Request) CheckNames(limits graph.Limits) error {
	a := r.Training.Adapt
	if a == nil || len(a.Frozen) == 0 && (a.LoRA == nil || len(a.LoRA.Targets) == 0) {
		return nil
	}
	r.Model.Normalize(catalog.Vocabulary)
	res := infer.Walk(r.Model)
	if most := limits.Comparisons; most > 0 && a.Comparisons(res) > most {
		e := action.Errorf(graph.CodeValues, "training", "patterns of frozen or lora take too long with so many names: write fewer of them, or shorter ones, "+
			"and * in the place of regular expressions, brackets and ?")
		e.Limit = most
		return e
	}
	if field, pattern, found := a.Unmatched(r.Model); found {
		return action.Errorf(action.CodeValue, "training."+field, "is %q, but no component has that id or scope", clip(pattern))
	}
	field, word, names, found := a.MissingTarget(res)
	if !found {
		return nil
	}
	there := "the model has none"
	if len(names) > 0 {
		there = "there are " + strings.Join(names, ", ")
	}
	return action.Errorf(action.CodeValue, "training."+field, "is %q, but no linear layer or component has that name: %s%s",
		clip(word), quantity.Own(there), quantity.Own(spelling.DidYouMean(word, names)))
}

// LoRA is the wire form of adapters.
type LoRA struct {
	Rank    int64    `json:"rank"`
	Targets []string `json:"targets,omitempty"`
	Bits    int64    `json:"bits,omitempty"`
	Dropout float64  `json:"dropout,omitempty"`
}

// trainingOf is the run that was estimated.
func trainingOf(t *estimate.Training) Training {
	o := t.Options
	out := Training{Batch: o.Batch, Precision: o.Precision, Optimizer: o.Optimizer, Epochs: o.Epochs, Samples: o.Samples, Checkpointing: o.Checkpointing,
		Attention: o.Attention, SamplesAssumed: !o.SamplesGiven, MicroBatch: o.MicroBatch, FusedLoss: o.FusedLoss, Expandable: o.Expandable, Dropout: o.Dropout, GPU: o.GPU,
		Base: o.Base, Autocast: o.Autocast, Packing: o.Packing,
		Objective: o.Objective, Completion: o.Completion}
	if a := o.Adapt; a != nil {
		out.Frozen, out.TrainedParams = a.Frozen, &t.TrainedParams
		if a.LoRA != nil {
			out.LoRA = &LoRA{a.LoRA.Rank, a.LoRA.Targets, a.LoRA.Bits, a.LoRA.Dropout}
		}
	}
	return out
}

// adapted says how many weights are trained, where not all are; empty otherwise.
func (r *Record) adapted() string {
	if r.Training.TrainedParams == nil {
		return ""
	}
	return grouped(*r.Training.TrainedParams) + " of them trained"
}
