package mcp

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/rules"
	"github.com/modelverifier/verifier/internal/spelling"
	"github.com/modelverifier/verifier/models"
)

var _ = define(tool{
	name: "catalog", title: "Component types and rules",
	doc: `Component types, rules and bundled models. Without arguments the groups and the ids of types; group lists one (rules, models, convolution, …); ` +
		`search looks in ids and titles; type or rule gives the page of one.`,
	input:  `"type":{"type":"string"},"rule":{"type":"string"},"search":{"type":"string"},"group":{"type":"string"}`,
	output: []string{"groups", "types", "rules", "models", "page", "id"},
	run:    catalogue,
})

// listed is an entry of the catalogue.
type listed struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	Kind  string `json:"kind"` // group of a type, severity of a rule, family of a model
}

// catalogGroup is how many entries a group has.
type catalogGroup struct {
	Group string `json:"group"`
	Count int    `json:"count"`
}

type catalogBody struct {
	Groups []catalogGroup `json:"groups,omitempty"`
	Types  []listed       `json:"types,omitempty"`
	Rules  []listed       `json:"rules,omitempty"`
	Models []listed       `json:"models,omitempty"`
	ID     string         `json:"id,omitempty"`
	Page   string         `json:"page,omitempty"`
}

// The groups that are not groups of types.
const rulesGroup, modelsGroup = "rules", "models"

func catalogue(_ *Server, _ context.Context, a *arguments) (*answer, error) {
	f, err := a.fields()
	if err != nil {
		return nil, err
	}
	typ, rule, search, group := f.Str("type"), f.Str("rule"), f.Str("search"), f.Str("group")
	if err := f.Err(); err != nil {
		return nil, err
	}
	switch {
	case typ != "":
		page, id, err := typePage(typ)
		return &answer{body: catalogBody{ID: id, Page: page}, text: page}, err
	case rule != "":
		page, err := rulePage(rule)
		return &answer{body: catalogBody{ID: rule, Page: page}, text: page}, err
	case search == "" && group == "":
		body, text := index()
		return &answer{body: body, text: text}, nil
	}
	if group != "" && !slices.Contains(groupNames(), group) {
		return nil, unknownGroup(group)
	}
	body := entries(group, search)
	return &answer{body: body, text: body.text()}, nil
}

func unknownGroup(group string) error {
	out := refuse(codeUnknown, "group", fmt.Sprintf("there is no group %q", clip(group)), "Give one of "+strings.Join(groupNames(), ", ")+".")
	out.Allowed = groupNames()
	return out
}

// groupNames are the groups of types in the order of the first of each, then rules and models.
func groupNames() []string {
	var out []string
	for _, t := range catalog.Types() {
		if !slices.Contains(out, string(t.Group)) {
			out = append(out, string(t.Group))
		}
	}
	slices.Sort(out)
	return append(out, rulesGroup, modelsGroup)
}

// entries are those of a group, of all where it is empty, whose id or title has a text.
func entries(group, search string) *catalogBody {
	body := &catalogBody{}
	matches := func(of string, words ...string) bool {
		return (group == "" || group == of) && strings.Contains(strings.ToLower(strings.Join(words, " ")), strings.ToLower(search))
	}
	for _, t := range catalog.Types() {
		if matches(string(t.Group), append([]string{t.ID, t.Title}, t.Aliases...)...) {
			body.Types = append(body.Types, listed{t.ID, t.Title, string(t.Group)})
		}
	}
	for _, r := range rules.Rules() {
		if matches(rulesGroup, r.ID, r.Title) {
			body.Rules = append(body.Rules, listed{r.ID, r.Title, string(r.Severity)})
		}
	}
	for _, m := range models.Entries() {
		if matches(modelsGroup, m.ID, m.Name, m.Family) {
			body.Models = append(body.Models, listed{m.ID, m.Name, m.Family})
		}
	}
	return body
}

// index counts every group; the text has the ids of types too, without which no graph is written.
func index() (*catalogBody, string) {
	body, all := &catalogBody{}, entries("", "")
	var b strings.Builder
	for _, g := range groupNames() {
		var of []listed
		switch g {
		case rulesGroup:
			of = all.Rules
		case modelsGroup:
			of = all.Models
		default:
			of = slices.DeleteFunc(slices.Clone(all.Types), func(t listed) bool { return t.Kind != g })
		}
		body.Groups = append(body.Groups, catalogGroup{g, len(of)})
		if g == rulesGroup || g == modelsGroup {
			fmt.Fprintf(&b, "%s: %d, listed with group\n", g, len(of))
			continue
		}
		fmt.Fprintf(&b, "%s: %s\n", g, joined(of))
	}
	return body, b.String()
}

func joined(list []listed) string {
	names := make([]string, len(list))
	for i, l := range list {
		names[i] = l.ID
	}
	return strings.Join(names, ", ")
}

func (c *catalogBody) text() string {
	return fmt.Sprintf("%d types: %s\n%d rules: %s\n%d models: %s", len(c.Types), joined(c.Types), len(c.Rules), joined(c.Rules), len(c.Models), joined(c.Models))
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
		advice := "catalog with group rules lists them."
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
