package plan

import (
	"fmt"
	"strings"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/quantity"
	"github.com/modelverifier/verifier/internal/transformers"
)

// Implementation is the modules of a library that components name: they decide what is saved for backward.
type Implementation struct {
	Library    string    `json:"library"`
	Components int       `json:"components"` // that name a module of it
	Variants   []Variant `json:"variants"`
}

// Variant is one of those modules, in one of its meanings where components of several types have its name.
type Variant struct {
	Name       string `json:"name"`
	Meaning    string `json:"meaning"`
	Components int    `json:"components"`
}

func implementation(s *action.Study) *Implementation {
	named := s.Modules()
	if len(named) == 0 {
		return nil
	}
	out := &Implementation{transformers.Library, 0, []Variant{}}
	for _, v := range named {
		out.Components += v.Components
		out.Variants = append(out.Variants, Variant{v.Name, v.Says, v.Components})
	}
	return out
}

// words is a line on it.
func (i *Implementation) words() string {
	var parts []string
	for k := 0; k < len(i.Variants); {
		name, count := i.Variants[k].Name, 0
		for ; k < len(i.Variants) && i.Variants[k].Name == name; k++ {
			count += i.Variants[k].Components
		}
		parts = append(parts, fmt.Sprintf("%s (%s)", strings.TrimPrefix(name, i.Library+"."), quantity.Grouped(int64(count))))
	}
	return fmt.Sprintf("as %s implements them: %s", i.Library, strings.Join(parts, ", "))
}
