package torch

import "github.com/modelverifier/verifier/internal/importer/torch/interp"

func init() { beside = append(beside, (*reader).commandLine) }

// commandLine is what preludes ask: the arguments that the caller gave, values that nobody gave, and to give up where a form of a module is not
// written there.
func (r *reader) commandLine() *interp.Module {
	return interp.Native("_commandline", map[string]interp.Value{
		"given": interp.Fn("given", func(in *interp.Interp, a *interp.Args) interp.Value {
			name := interp.Str(a.Pos[0])
			text, ok := r.options.Args[name]
			if !ok {
				return nil
			}
			if r.taken == nil {
				r.taken = map[string]bool{}
			}
			r.taken[name] = true
			return text
		}),
		"unfollowed": interp.Fn("unfollowed", func(in *interp.Interp, a *interp.Args) interp.Value {
			in.Fault("%s is not followed", interp.Str(a.Pos[0]))
			return nil
		}),
		"missing": interp.Fn("missing", func(in *interp.Interp, a *interp.Args) interp.Value {
			u := in.Unknown("the argument %s of the command line has no default: pass --arg %s=…", interp.Str(a.Pos[0]), interp.Str(a.Pos[0]))
			u.Harmless = true
			return u
		}),
	})
}
