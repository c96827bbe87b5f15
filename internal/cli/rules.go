package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/modelverifier/verifier/internal/rules"
)

var _ = register(func() *cobra.Command {
	return &cobra.Command{
		Use:   "rules [ID]",
		Short: "List the rules, or show the page of one",
		Args:  cobra.MaximumNArgs(1),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return ruleNames(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return listRules(cmd)
			}
			r := rules.Lookup(args[0])
			if r == nil {
				return fmt.Errorf("there is no rule %q%s", args[0], meant(args[0], ruleNames(), "verifier rules lists them"))
			}
			if wantsJSON(cmd) {
				return printJSON(cmd, ruleBody(r))
			}
			return printText(cmd, rulePage(r))
		},
	}
})

func listRules(cmd *cobra.Command) error {
	if wantsJSON(cmd) {
		bodies := []ruleJSON{}
		for _, r := range rules.Rules() {
			bodies = append(bodies, ruleBody(r))
		}
		return printJSON(cmd, bodies)
	}
	tw := newTable("rule", "severity", "what it finds")
	for _, r := range rules.Rules() {
		tw.add(r.ID, string(r.Severity), r.Title)
	}
	return printText(cmd, fmt.Sprintf("%s\n\n%d rules; verifier rules ID shows one\n", tw, len(rules.Rules())))
}

type ruleJSON struct {
	ID       string         `json:"id"`
	Title    string         `json:"title"`
	Severity rules.Severity `json:"severity"`
	Doc      string         `json:"doc"`
	Source   string         `json:"source"`
	Examples []string       `json:"examples"`
}

func ruleBody(r *rules.Rule) ruleJSON {
	return ruleJSON{r.ID, r.Title, r.Severity, r.Doc, r.Source, r.Examples}
}

func rulePage(r *rules.Rule) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s): %s\n\n%s\n\nSource   %s\n", r.ID, r.Severity, r.Title, r.Doc, r.Source)
	for _, e := range r.Examples {
		title := "Clean"
		if strings.Contains(e, "// want") {
			title = "Found"
		}
		fmt.Fprintf(&b, "\n%s\n", title)
		for _, line := range strings.Split(strings.TrimSpace(e), "\n") {
			fmt.Fprintf(&b, "  %s\n", strings.ReplaceAll(line, "// want", "// here"))
		}
	}
	return b.String()
}

func ruleNames() []string {
	var out []string
	for _, r := range rules.Rules() {
		out = append(out, r.ID)
	}
	return out
}
