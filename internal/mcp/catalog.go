package mcp

import (
	"context"
	"fmt"
	"strings"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/rules"
	"github.com/modelverifier/verifier/internal/spelling"
)

var _ = define(tool{
	name: "catalog", title: "Component types and rules",
	doc:    `What a component type takes and means, or what a rule finds and why. Without arguments the ids of all; with type or rule the page of one; search looks in ids and titles.`,
	input:  `"type":{"type":"string"},"rule":{"type":"string"},"search":{"type":"string"}`,
	output: []field{{"types", "array"}, {"rules", "array"}, {"page", "string"}, {"id", "string"}},
	run:    catalogue,
})

// listed is an entry of the catalogue.
type listed struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	Kind  string `json:"kind"` // group of a type, severity of a rule
}

type catalogBody struct {
	Types []listed `json:"types,omitempty"`
	Rules []listed `json:"rules,omitempty"`
	ID    string   `json:"id,omitempty"`
	Page  string   `json:"page,omitempty"`
}

func catalogue(_ *Server, _ context.Context, a *arguments) (*answer, error) {
	f, err := a.fields()
	if err != nil {
		return nil, err
	}
	typ, rule, search := f.Str("type"), f.Str("rule"), f.Str("search")
	if err := f.Err(); err != nil {
		return nil, err
	}
	if typ != "" {
		page, id, err := typePage(typ)
		return &answer{body: catalogBody{ID: id, Page: page}, text: page}, err
	}
	if rule != "" {
		page, err := rulePage(rule)
		return &answer{body: catalogBody{ID: rule, Page: page}, text: page}, err
	}
	body := catalogBody{Types: []listed{}, Rules: []listed{}}
	matches := func(id, title string) bool {
		return strings.Contains(strings.ToLower(id+" "+title), strings.ToLower(search))
	}
	var names [2][]string
	for _, t := range catalog.Types() {
		if matches(t.ID+" "+strings.Join(t.Aliases, " "), t.Title) {
			body.Types, names[0] = append(body.Types, listed{t.ID, t.Title, string(t.Group)}), append(names[0], t.ID)
		}
	}
	for _, r := range rules.Rules() {
		if matches(r.ID, r.Title) {
			body.Rules, names[1] = append(body.Rules, listed{r.ID, r.Title, string(r.Severity)}), append(names[1], r.ID)
		}
	}
	text := fmt.Sprintf("%d types: %s\n%d rules: %s", len(names[0]), strings.Join(names[0], ", "), len(names[1]), strings.Join(names[1], ", "))
	return &answer{body: body, text: text}, nil
}

func typePage(word string) (page, id string, err error) {
	t := catalog.Lookup(catalog.Canonical(word))
	if t == nil {
		advice := "catalog with search finds types by what they do."
		if near := catalog.Nearest(word); near != "" {
			advice = "Did you mean " + near + "? " + advice
		}
		return "", "", refuse(codeUnknown, "type", fmt.Sprintf("there is no type %q", clip(word)), advice)
	}
	return t.Page(), t.ID, nil
}

func ruleIDs() []string {
	var out []string
	for _, r := range rules.Rules() {
		out = append(out, r.ID)
	}
	return out
}

func rulePage(id string) (string, error) {
	r := rules.Lookup(id)
	if r == nil {
		advice := "catalog without arguments lists the rules."
		if near := spelling.Nearest(id, ruleIDs()); near != "" {
			advice = "Did you mean " + near + "?"
		}
		return "", refuse(codeUnknown, "rule", fmt.Sprintf("there is no rule %q", clip(id)), advice)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s): %s\n\n%s\n\nSource: %s\n", r.ID, r.Severity, r.Title, r.Doc, r.Source)
	for _, e := range r.Examples {
		title := "Clean"
		if strings.Contains(e, "// want") {
			title = "Found"
		}
		fmt.Fprintf(&b, "\n%s:\n%s\n", title, strings.ReplaceAll(strings.TrimSpace(e), "// want", "// here"))
	}
	return b.String(), nil
}
