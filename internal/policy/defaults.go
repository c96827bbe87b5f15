package policy

import (
	"slices"

	"github.com/modelverifier/verifier/internal/graph"
)

// Default is what a file says for a flag that was not given:
//
//	defaults:
//	  fail-on: warn          # of every command that has the flag
//	  plan: {batch: 8}       # of one command; goes before the general one
type Default struct {
	Command string // "" for every one that has the flag
	Flag    string
	Values  []string // one, or those of a flag that can be given several times

	at item
}

// Errorf is an error about the value, with its place in the file.
func (d *Default) Errorf(format string, args ...any) error {
	return d.at.errorf(CodeValue, format, args...)
}

// DefaultsFor returns what the file says for the flags of a command, sorted by flag.
func (f *File) DefaultsFor(command string, flags []string) []Default {
	if f == nil {
		return nil
	}
	var out []Default
	for _, flag := range flags {
		var found *Default
		for i := range f.Defaults {
			d := &f.Defaults[i]
			if d.Flag == flag && (d.Command == command || d.Command == "" && found == nil) {
				found = d
			}
		}
		if found != nil {
			out = append(out, *found)
		}
	}
	slices.SortFunc(out, func(a, b Default) int { return slices.Compare([]string{a.Flag}, []string{b.Flag}) })
	return out
}

func (n Names) defaults(v item) ([]Default, *graph.Error) {
	if v.kind != graph.Object {
		return nil, v.wrong("an object of flags, or of commands with their flags")
	}
	var commands []Command
	if n.Flags != nil {
		commands = n.Flags()
	}
	var names, flags []string
	for _, c := range commands {
		names = append(names, c.Name)
		flags = append(flags, c.Flags...)
	}
	slices.Sort(flags)
	flags = slices.Compact(flags)
	var out []Default
	for _, m := range v.members {
		at := slices.Index(names, m.name)
		if at < 0 {
			d, err := fill("", m, flags, append(slices.Clone(names), flags...))
			if err != nil {
				return nil, err
			}
			out = append(out, d...)
			continue
		}
		if m.kind != graph.Object && m.kind != graph.Null {
			return nil, m.wrong("an object of the flags of " + m.name)
		}
		for _, inner := range m.members {
			d, err := fill(m.name, inner, commands[at].Flags, commands[at].Flags)
			if err != nil {
				return nil, err
			}
			out = append(out, d...)
		}
	}
	return out, nil
}

// fill reads the value of one flag; a null is none.
func fill(command string, m member, flags, known []string) ([]Default, *graph.Error) {
	if !slices.Contains(flags, m.name) {
		what := "command or flag that a file can fill in"
		if command != "" {
			what = "flag of " + command + " that a file can fill in"
		}
		return nil, m.unknown(CodeKey, what, m.name, known)
	}
	d := Default{Command: command, Flag: m.name, at: m.item}
	switch m.kind {
	case graph.Null:
		return nil, nil
	case graph.Object:
		return nil, m.wrong("a value, or a list of values")
	case graph.List:
		for _, e := range m.list {
			if e.kind == graph.Object || e.kind == graph.List || e.kind == graph.Null {
				return nil, e.wrong("a value")
			}
			d.Values = append(d.Values, e.raw)
		}
		if d.Values == nil {
			return nil, nil
		}
	default:
		d.Values = []string{m.raw}
	}
	return []Default{d}, nil
}
