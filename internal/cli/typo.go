package cli

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/modelverifier/verifier/internal/spelling"
)

// meant is the end of a message about a word that is not known: the nearest one, or else what helps.
func meant(word string, known []string, otherwise string) string {
	if near := spelling.DidYouMean(word, known); near != "" {
		return near
	}
	return "; " + otherwise
}

// fitTypos makes mistyped commands and flags name the nearest one, in one line.
func fitTypos(root *cobra.Command) {
	root.DisableSuggestions = true // are lines of their own, for commands alone
	root.SetFlagErrorFunc(flagFault)
	fitParents(root.Commands())
	root.InitDefaultHelpCmd()
	for _, c := range root.Commands() {
		if c.Name() != "help" {
			continue
		}
		show := c.Run
		c.RunE = func(cmd *cobra.Command, args []string) error {
			if _, rest, err := root.Find(args); err != nil || len(rest) > 0 {
				return noCommand(root, strings.Join(args, " "))
			}
			show(cmd, args)
			return nil
		}
	}
}

// fitParents makes commands that only have others below them refuse a word that is none of those: the library shows their help and ends
// well.
func fitParents(list []*cobra.Command) {
	for _, c := range list {
		if !c.HasSubCommands() || c.Runnable() {
			continue
		}
		c.Args = cobra.ArbitraryArgs
		c.RunE = func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return noCommand(cmd, args[0])
			}
			return cmd.Help()
		}
		fitParents(c.Commands())
	}
}

// flagFault explains what is wrong with flags.
func flagFault(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return err
	}
	if group := unknown.GetSpecifiedShortnames(); group != "" {
		return fmt.Errorf("unknown flag -%s of %s; %s --help lists them, each with two dashes", group, cmd.CommandPath(), cmd.CommandPath())
	}
	word := unknown.GetSpecifiedName()
	var known []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			known = append(known, "--"+f.Name)
		}
	})
	return fmt.Errorf("unknown flag --%s of %s%s", word, cmd.CommandPath(), meant("--"+word, known, cmd.CommandPath()+" --help lists them"))
}

// respelled names the nearest command where a word is none. The library's error has no type of its own.
func respelled(cmd *cobra.Command, err error) error {
	if counted := countFault(cmd, err); counted != nil {
		return counted
	}
	if names, ok := strings.CutPrefix(err.Error(), "required flag(s) "); ok {
		names = strings.ReplaceAll(strings.TrimSuffix(names, " not set"), `"`, "")
		return fmt.Errorf("%s needs --%s; %s --help says what it takes", cmd.CommandPath(), strings.ReplaceAll(names, ", ", " and --"), cmd.CommandPath())
	}
	rest, ok := strings.CutPrefix(err.Error(), "unknown command ")
	if !ok {
		return err
	}
	quoted, quoteErr := strconv.QuotedPrefix(rest)
	if quoteErr != nil {
		return err
	}
	word, _ := strconv.Unquote(quoted)
	if !cmd.HasAvailableSubCommands() {
		return fmt.Errorf("%s takes no %q", cmd.CommandPath(), word)
	}
	return noCommand(cmd, word)
}

// counts are the library's words for a number of arguments that is not taken; each names the number that is, and the one that came.
var counts = []struct{ theirs, ours string }{
	{"accepts %d arg(s), received %d", "takes"}, {"requires at least %d arg(s), only received %d", "takes at least"}, {"accepts at most %d arg(s), received %d", "takes at most"},
}

// countFault says in our words how many arguments a command takes, nil where the error is another.
func countFault(cmd *cobra.Command, err error) error {
	for _, c := range counts {
		var want, got int
		if n, scanErr := fmt.Sscanf(err.Error(), c.theirs, &want, &got); scanErr == nil && n == 2 {
			return fmt.Errorf("%s %s %s and got %s: %s", cmd.CommandPath(), c.ours, arguments(want), number(got), cmd.UseLine())
		}
	}
	return nil
}

func arguments(n int) string {
	if n == 1 {
		return "one argument"
	}
	return number(n) + " arguments"
}

func number(n int) string {
	if n == 0 {
		return "none"
	}
	return strconv.Itoa(n)
}

func noCommand(parent *cobra.Command, word string) error {
	var known []string
	for _, c := range parent.Commands() {
		if c.IsAvailableCommand() {
			known = append(known, c.Name())
		}
	}
	of := ""
	if parent.HasParent() {
		of = " of " + parent.CommandPath()
	}
	return fmt.Errorf("there is no command %q%s%s", word, of, meant(word, known, parent.CommandPath()+" --help lists them"))
}
