package cli

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// argsKey finds the words that a command was called with in its context: cobra hands on what is left of them.
type argsKey struct{}

func withArgs(ctx context.Context, args []string) context.Context {
	return context.WithValue(ctx, argsKey{}, args)
}

// given is the command line without the program.
func argsOf(cmd *cobra.Command) []string {
	args, _ := cmdContext(cmd).Value(argsKey{}).([]string)
	return args
}

// part is a flag with its value, or a word that is none.
type part struct {
	flags []string // their names; several where short ones stand together
	words []string
	end   bool // the two dashes that end the flags, with all that follows
}

// parts takes a command line apart as the flags of a command read it.
func parts(cmd *cobra.Command, args []string) []part {
	var out []part
	for i := 0; i < len(args); {
		word, p := args[i], part{words: args[i : i+1]}
		switch {
		case word == "--":
			return append(out, part{words: args[i:], end: true})
		case strings.HasPrefix(word, "--"):
			name, _, valued := strings.Cut(word[2:], "=")
			p.flags = []string{name}
			if f := cmd.Flag(name); !valued && f != nil && f.NoOptDefVal == "" {
				p.words = args[i:min(i+2, len(args))]
			}
		case len(word) > 1 && word[0] == '-':
			p.flags, p.words = short(cmd, args[i:])
		}
		i += len(p.words)
		out = append(out, p)
	}
	return out
}

// short reads flags of one letter. The last of them may take what is behind it, or the next word.
func short(cmd *cobra.Command, args []string) (names, words []string) {
	for j := 1; j < len(args[0]); j++ {
		var found *pflag.Flag
		for _, set := range []*pflag.FlagSet{cmd.Flags(), cmd.InheritedFlags()} {
			if f := set.ShorthandLookup(args[0][j : j+1]); f != nil {
				found = f
			}
		}
		if found == nil {
			return names, args[:1]
		}
		names = append(names, found.Name)
		if found.NoOptDefVal == "" {
			if j == len(args[0])-1 {
				return names, args[:min(2, len(args))]
			}
			return names, args[:1]
		}
	}
	return names, args[:1]
}

// without leaves flags out of a command line, and puts others in behind the command's name.
func without(cmd *cobra.Command, args, drop, add []string) []string {
	var out []string
	named := false
	for _, p := range parts(cmd, args) {
		if len(p.flags) > 0 && slices.ContainsFunc(p.flags, func(n string) bool { return slices.Contains(drop, n) }) {
			if kept := slices.DeleteFunc(slices.Clone(p.flags), func(n string) bool { return slices.Contains(drop, n) }); len(p.flags) > 1 {
				for _, n := range kept {
					out = append(out, "--"+n)
				}
			}
			continue
		}
		out = append(out, p.words...)
		if len(p.flags) == 0 && !p.end && !named {
			out, named = append(out, add...), true
		}
	}
	return out
}
