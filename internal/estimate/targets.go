package estimate

import (
	"errors"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/infer"
)

// AllLinear is the target that stands for every linear layer but those that give the logits, in peft's word.
const AllLinear = "all-linear"

// target is one of the targets of adapters, ready to be compared. As in peft's target_modules a name means every linear layer whose path
// ends in it; text that is a regular expression must match the whole path. Beyond peft, a pattern may name components, whose linear layers
// are then all meant, and *.q_proj is q_proj.
type target struct {
	glob
	expr  *regexp.Regexp // nil where it is no regular expression
	steps int64          // of the program that a regular expression becomes, about
}

// maxSteps is how large a regular expression may be, in letters and in steps. The regular expressions of trainers have some hundreds.
const maxSteps = 2000

// ErrTooLarge is that of a regular expression which is too long, or repeats too much.
var ErrTooLarge = errors.New("is a regular expression of more than " + strconv.Itoa(maxSteps) + " steps: write several, or fewer repetitions")

// ParseTarget says what is wrong with a target, nil where nothing is.
func ParseTarget(word string) error {
	_, err := parseTarget(word)
	return err
}

func parseTarget(word string) (target, error) {
	certain := strings.ContainsAny(word, `()|\^$+{}`) // no pattern has one of these
	if !certain && !strings.Contains(word, ".*") {
		return target{glob: globOf(word)}, ParsePattern(word)
	}
	expr, steps, err := compile(word)
	switch {
	case certain:
		return target{nameOf(word), expr, steps}, err
	case err != nil:
		return target{glob: globOf(word)}, ParsePattern(word) // *.*.q_proj
	}
	return target{globOf(word), expr, steps}, nil
}

// compile makes a regular expression of a word. It asks for the size first: a few letters can stand for millions of steps.
func compile(word string) (*regexp.Regexp, int64, error) {
	if len(word) > maxSteps {
		return nil, 0, ErrTooLarge
	}
	tree, err := syntax.Parse(word, syntax.Perl)
	var syntactic *syntax.Error
	switch {
	case errors.As(err, &syntactic) && (syntactic.Code == syntax.ErrInvalidRepeatSize || syntactic.Code == syntax.ErrLarge):
		return nil, 0, ErrTooLarge
	case err != nil:
		return nil, 0, err
	}
	steps := stepsOf(tree)
	if steps > maxSteps {
		return nil, 0, ErrTooLarge
	}
	expr, err := regexp.Compile(`^(?:` + word + `)$`)
	return expr, steps, err
}

// stepsOf counts the letters of a regular expression, with what is repeated as often as it is.
func stepsOf(e *syntax.Regexp) int64 {
	steps := int64(1 + len(e.Rune))
	for _, part := range e.Sub {
		steps = plus(steps, stepsOf(part))
	}
	if e.Op == syntax.OpRepeat {
		steps = times(steps, int64(max(1, e.Min, e.Max)))
	}
	return steps
}

// parseTargets leaves out what is neither a name nor a pattern: it means nothing.
func parseTargets(words []string) (out []target) {
	for _, word := range words {
		if t, err := parseTarget(word); err == nil {
			out = append(out, t)
		}
	}
	return out
}

// meansLayer reports whether a target means a linear layer with a path.
func (t *target) meansLayer(layer string) bool {
	if len(layer) > maxScope || layer == "" {
		return false
	}
	if t.expr != nil && t.expr.MatchString(layer) {
		return true
	}
	if rest, ok := strings.CutSuffix(layer, t.text); ok && (rest == "" || rest[len(rest)-1] == '.') {
		return true
	}
	if !t.wild {
		return false
	}
	for at := layer; len(at) >= max(1, t.least); { // the path, and each of its ends
		if t.match(at) {
			return true
		}
		_, at, _ = strings.Cut(at, ".")
	}
	return false
}

// adapted says which of a component's weights get adapters, as bits by their numbers, and how many linear layers those are.
func (l *LoRA) adapted(res *infer.Result, i int, targets []target) (weights uint64, layers int64) {
	n := &res.Nodes[i]
	everything := len(l.Targets) == 0 && !givesLogits(res, i)
	for k := range targets {
		everything = everything || targets[k].text == AllLinear && !givesLogits(res, i) || targets[k].means(n.Component)
	}
	for k := range n.Weights {
		w := &n.Weights[k]
		if isLinear(n, w) && (everything || slices.ContainsFunc(targets, func(t target) bool { return t.meansWeight(n.Component, w) })) {
			weights |= bit(k)
			layers = plus(layers, w.Times)
		}
	}
	return weights, layers
}

// bit is that of a weight. No type declares as many as there are bits.
func bit(weight int) uint64 { return 1 << min(weight, 63) }

func (t *target) meansWeight(c *graph.Component, w *catalog.Weight) bool {
	for _, name := range []string{c.ID, c.Scope()} {
		if name != "" && t.meansLayer(layerPath(name, w)) {
			return true
		}
	}
	return false
}

// layerPath is the path of the linear layer that has a weight: model.layers.0.self_attn.q_proj.
func layerPath(component string, w *catalog.Weight) string {
	module := strings.TrimRight(strings.TrimSuffix(w.Path(), "weight"), "._")
	if module == "" {
		return component
	}
	return component + "." + module
}

// Comparisons is how long it takes at the most to compare the patterns of an adaptation with the names of a model, in the unit of lookTime.
// Who serves others limits it: 64 regular expressions and the longest names take minutes.
func (a *Adaptation) Comparisons(res *infer.Result) int64 {
	if a == nil {
		return 0
	}
	var look, try int64 // with a letter of a name or path, and with one of a path that a regular expression is asked of
	for _, g := range globsOf(a.Frozen) {
		look = plus(look, g.time())
	}
	if a.LoRA != nil {
		for _, t := range parseTargets(a.LoRA.Targets) {
			look = plus(look, t.time())
			try = plus(try, tryTime*t.steps)
		}
	}
	sum := int64(0)
	add := func(name string, try int64) {
		letters := int64(len(name) * (1 + strings.Count(name, "."))) // each scope above is compared, too
		sum = plus(sum, plus(times(look, letters), times(try, int64(len(name)))))
	}
	for i := range res.Nodes {
		n := &res.Nodes[i]
		if n.Component == nil {
			continue
		}
		for _, name := range [...]string{n.Component.ID, n.Component.Scope()} {
			if name == "" || len(name) > maxScope {
				continue
			}
			add(name, 0)
			for k := range n.Weights {
				if a.LoRA != nil && isLinear(n, &n.Weights[k]) {
					add(layerPath(name, &n.Weights[k]), try)
				}
			}
		}
	}
	return sum
}

// MissingTarget returns the first target that no linear layer of a model has, with the field that has it, and the names that there are. Of
// a model that is refused, or has parts that cannot be known, not every layer is, and nothing is said to be missing.
func (a *Adaptation) MissingTarget(res *infer.Result) (field, word string, names []string, found bool) {
	if a == nil || a.LoRA == nil || len(res.Refusals) > 0 {
		return "", "", nil, false
	}
	if slices.ContainsFunc(res.Nodes, func(n infer.Node) bool { return n.State == infer.Withheld || n.State == infer.Unknown }) {
		return "", "", nil, false
	}
	for k, word := range a.LoRA.Targets {
		one := &LoRA{Targets: []string{word}}
		targets := parseTargets(one.Targets)
		hit := false
		for i := range res.Nodes {
			if n := &res.Nodes[i]; n.Component != nil && len(n.Weights) > 0 && !hit {
				_, layers := one.adapted(res, i, targets)
				hit = layers > 0
			}
		}
		if !hit {
			return "lora.targets[" + strconv.Itoa(k) + "]", word, layerNames(res), true
		}
	}
	return "", "", nil, false
}

// mostNames is how many names of layers a message lists.
const mostNames = 16

// layerNames are the last parts of the paths of the linear layers, in the order in which they first come.
func layerNames(res *infer.Result) (out []string) {
	for i := range res.Nodes {
		n := &res.Nodes[i]
		if n.Component == nil {
			continue
		}
		name := n.Component.Scope()
		if name == "" {
			name = n.Component.ID
		}
		for k := range n.Weights {
			if w := &n.Weights[k]; isLinear(n, w) {
				layer := layerPath(name, w)
				layer = layer[strings.LastIndexByte(layer, '.')+1:]
				if !slices.Contains(out, layer) && len(layer) <= maxScope {
					out = append(out, layer)
				}
			}
		}
		if len(out) >= mostNames {
			return out[:mostNames]
		}
	}
	return out
}
