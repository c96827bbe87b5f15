package catalog

import (
	"fmt"
	"strings"
)

// Page is the reference page of a type as plain text. It is made from the definition alone.
func (t *Type) Page() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n\n%s\n", t.ID, t.Title, t.Doc)
	if len(t.Params) > 0 {
		b.WriteString("\nParameters\n")
	}
	for i := range t.Params {
		p := &t.Params[i]
		fmt.Fprintf(&b, "  %-18s %s; %s. %s\n", p.Name, p.Takes(), p.Absent(), capital(p.Doc)+".")
	}
	fmt.Fprintf(&b, "\nTakes    %s\n", t.Inputs)
	for _, line := range []struct{ name, text string }{
		{"Weights", t.WeightFormula}, {"FLOPs", t.FLOPsFormula}, {"PyTorch", t.Torch}, {"Follows", t.Source}, {"Also", strings.Join(t.Aliases, ", ")},
	} {
		if line.text != "" {
			fmt.Fprintf(&b, "%-8s %s\n", line.name, line.text)
		}
	}
	b.WriteString("\nExamples\n")
	for _, e := range t.Examples {
		result := "-> " + e.Out
		if e.Err != "" {
			result = "refused: " + e.Err
		}
		fmt.Fprintf(&b, "  %s  %s\n", strings.TrimSpace(e.In+"  "+e.Args), result)
	}
	return b.String()
}

// Absent says what happens if the parameter is left out.
func (p *Param) Absent() string {
	switch {
	case p.Default != nil:
		return "default " + p.value.String()
	case p.Lazy:
		return "taken from the input if left out"
	case p.Derive != nil:
		return "default " + p.DeriveDoc
	case p.Optional:
		return "may be left out"
	}
	return "required"
}

func capital(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
