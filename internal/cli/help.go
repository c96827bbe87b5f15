package cli

import (
	"strings"

	"github.com/spf13/cobra"
)

var _ = func() bool {
	cobra.AddTemplateFunc("fold", wrap)
	return true
}()

// fitHelp makes the help of a command and of those below it fit a terminal.
func fitHelp(root *cobra.Command) {
	const list = "\n  {{rpad .Name .NamePadding }} {{.Short}}"
	template := strings.ReplaceAll(root.UsageTemplate(), list, "\n{{fold (printf \"  %s  %s\" (rpad .Name .NamePadding) .Short)}}")
	root.SetUsageTemplate(strings.ReplaceAll(template, ".FlagUsages |", ".FlagUsagesWrapped 80 |"))
	help := root.HelpFunc()
	root.SetHelpFunc(func(c *cobra.Command, args []string) { // not at every start
		if c.Long == "" {
			c.Long = c.Short
		}
		c.Long = reflow(c.Long)
		help(c, args)
	})
}

// reflow sets paragraphs to the width of a terminal. Lines that are indented are lines of a table, and are not joined.
func reflow(text string) string {
	var out []string
	paragraph := ""
	flush := func() {
		if paragraph != "" {
			out = append(out, strings.ReplaceAll(wrap(paragraph), "\n  ", "\n"))
		}
		paragraph = ""
	}
	for line := range strings.SplitSeq(text, "\n") {
		switch {
		case line == "" || line[0] == ' ':
			flush()
			out = append(out, wrap(line))
		case strings.HasSuffix(line, ":"):
			paragraph = strings.TrimPrefix(paragraph+" "+line, " ")
			flush()
		default:
			paragraph = strings.TrimPrefix(paragraph+" "+line, " ")
		}
	}
	flush()
	return strings.Join(out, "\n")
}
