// Package family is the list of model types that can be imported: each is a Family, which package families defines in
// a file of its own. It finds the family of a config, or those with a name like it.
package family

import (
	"fmt"
	"slices"
	"strings"

	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/config"
	"github.com/modelverifier/verifier/internal/spelling"
)

// Family is how the models of one model type are built.
type Family struct {
	Type string // model_type
	// other names of it, which transformers' registry gives the same configuration class
	Also    []string
	Default string                        // the class of a config that names none
	Classes map[string]func(*build.Build) // by the class name of "architectures"

	PerLayer bool // whether it reads per_layer_config: sizes that differ from layer to layer
}

var families = map[string]*Family{}

// alsoKnown are the families under their other names.
var alsoKnown = map[string]*Family{}

// Define registers a family. Each file of one does it once.
func Define(f Family) Family {
	if _, twice := families[f.Type]; twice {
		panic("hf: two families of " + f.Type)
	}
	if f.Classes[f.Default] == nil {
		panic("hf: " + f.Type + " has no class " + f.Default)
	}
	families[f.Type] = &f
	if f.PerLayer {
		config.ReadPerLayer(f.Type)
	}
	for _, name := range f.Also {
		alsoKnown[name] = &f
	}
	return f
}

// Of is the family of a model type, nil where it is not modelled.
func Of(modelType string) *Family { return families[modelType] }

// ModelTypes are the model types that can be imported, sorted.
func ModelTypes() []string { return config.SortedKeys(families) }

// Classes are the class names of a model type, sorted.
func Classes(modelType string) []string {
	if f := families[modelType]; f != nil {
		return config.SortedKeys(f.Classes)
	}
	return nil
}

// Choose finds the family of a config and the class that it names.
func Choose(values map[string]any) (*Family, string, error) {
	modelType, _ := values["model_type"].(string)
	class := ""
	if names, ok := values["architectures"].([]any); ok && len(names) > 0 {
		class, _ = names[0].(string)
	}
	if modelType == "" && class != "" {
		modelType = typeOfClass(class)
	}
	f := families[modelType]
	if f == nil {
		f = alsoKnown[modelType]
	}
	switch {
	case modelType == "" && class == "":
		return nil, "", &graph.Error{Code: graph.CodeMissing, Path: "config.model_type",
			Message: "is missing, and so is architectures: nothing says what this model is"}
	case f == nil:
		return nil, "", unknownType(modelType, class)
	case class == "":
		return f, f.Default, nil
	case f.Classes[class] == nil:
		known := config.SortedKeys(f.Classes)
		return nil, "", &graph.Error{Code: config.CodeArchitecture, Path: "config.architectures[0]", Allowed: known,
			Message: fmt.Sprintf("%q is not modelled for model_type %q; modelled are %s", clip(class), modelType,
				strings.Join(known, ", "))}
	}
	return f, class, nil
}

// typeOfClass finds the one model type that has a class.
func typeOfClass(class string) string {
	found := ""
	for _, t := range ModelTypes() {
		if families[t].Classes[class] != nil {
			if found != "" {
				return ""
			}
			found = t
		}
	}
	return found
}

func unknownType(modelType, class string) *graph.Error {
	name := fmt.Sprintf("model_type %q", clip(modelType))
	if modelType == "" {
		name = fmt.Sprintf("architecture %q", clip(class))
	}
	e := &graph.Error{Code: config.CodeArchitecture, Path: "config.model_type",
		Message: name + " is not modelled, and none that is has a similar name"}
	if near := nearest(modelType, ModelTypes(), 3); len(near) > 0 {
		e.Allowed, e.Message = near, fmt.Sprintf("%s is not modelled; the nearest that are: %s", name,
			strings.Join(near, ", "))
	}
	return e
}

// maxName is more letters than any model_type has. What is longer is no misspelling of one, and is not repeated in a
// message.
const maxName = 80

func clip(name string) string {
	if len(name) <= maxName {
		return name
	}
	return strings.ToValidUTF8(name[:maxName], "") + "…"
}

// nearest returns those of the names that are near: of the same family, as gpt2 and gpt_neox are, or a few letters
// apart. Those that share the longest start come first, then those with the most pairs of letters.
func nearest(name string, names []string, n int) []string {
	if len(name) > maxName {
		return nil
	}
	score := func(s string) int {
		common := 0
		for common < len(s) && common < len(name) && s[common] == name[common] {
			common++
		}
		pairs := 0
		for i := 0; i+1 < len(name); i++ {
			if strings.Contains(s, name[i:i+2]) {
				pairs++
			}
		}
		return 4*common + pairs - max(len(s)-len(name), 0)
	}
	scores, out := map[string]int{}, []string{}
	for _, s := range names {
		if near(name, s) {
			scores[s], out = score(s), append(out, s)
		}
	}
	slices.SortStableFunc(out, func(a, b string) int { return scores[b] - scores[a] })
	return out[:min(n, len(out))]
}

// near reports whether two names begin with the same word of at least three letters, or are less than a third of
// their letters apart.
func near(a, b string) bool {
	a, b = strings.ToLower(a), strings.ToLower(b)
	limit := len(a)/3 + 1
	return len(firstWord(a)) >= 3 && firstWord(a) == firstWord(b) || spelling.Distance(a, b, limit) < limit
}

// firstWord is the word that a name begins with: gpt of gpt_neox and gpt2.
func firstWord(name string) string {
	for i, r := range name {
		if r < 'a' || r > 'z' {
			return name[:i]
		}
	}
	return name
}
