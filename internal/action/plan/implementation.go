package plan

import (
	"fmt"
	"strings"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/quantity"
)

// Implementation is whose modules the components are, where an importer says so: it decides what they save for backward.
type Implementation struct {
	Library    string    `json:"library"`
	Components int       `json:"components"`
	Variants   []Variant `json:"variants"`
}

// Variant is a way in which some of them are written, other than the usual one.
type Variant struct {
	Word       string `json:"word"`
	Meaning    string `json:"meaning"`
	Components int    `json:"components"`
}

func implementation(s *action.Study) *Implementation {
	how := s.Implementation()
	if how.Library == "" {
		return nil
	}
	out := &Implementation{how.Library, how.Components, []Variant{}}
	for _, v := range how.Variants {
		out.Variants = append(out.Variants, Variant{v.Word, v.Meaning, v.Components})
	}
	return out
}

// words is a line on it.
func (i *Implementation) words() string {
	text := fmt.Sprintf("as %s implements them", i.Library)
	var parts []string
	for _, v := range i.Variants {
		parts = append(parts, fmt.Sprintf("%s (%s)", v.Meaning, quantity.Grouped(int64(v.Components))))
	}
	if len(parts) > 0 {
		text += ": " + strings.Join(parts, "; ")
	}
	return text
}
