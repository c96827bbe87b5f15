package cli

import (
	"cmp"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/modelverifier/verifier/internal/action/check"
	"github.com/modelverifier/verifier/internal/discover"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/importer/torch"
	"github.com/modelverifier/verifier/internal/load"
)

// lines are the call as an entry under models: has it. A list of quoted texts is YAML whatever they are.
func callLines(c *discover.Call) string {
	var parts []string
	for _, p := range []struct {
		key    string
		values []string
	}{{"input", c.Inputs}, {"arg", c.Args}} {
		if len(p.values) == 0 {
			continue
		}
		var texts []string
		for _, v := range p.values {
			texts = append(texts, quoted(v))
		}
		parts = append(parts, p.key+": ["+strings.Join(texts, ", ")+"]")
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// callOrigin says where that was found.
func callOrigin(c *discover.Call) string {
	if c.From == "" {
		return ""
	}
	if strings.HasPrefix(c.From, "the ") {
		return ", called with " + c.From
	}
	return ", called as in " + clean(c.From)
}

// nameOf is the name of file.py:name.
func nameOf(ref string) string { return ref[strings.LastIndexByte(ref, ':')+1:] }

// pythonBlock is an example in Markdown.
var pythonBlock = regexp.MustCompile("(?ms)^[ \t]*```(?:python|py)[^\n]*\n(.*?)^[ \t]*```")

// examples looks through the repository for places where its models are made and called, by their names.
func examples(folder string, found *discover.Found) map[string][]discover.Example {
	var names []string
	for _, m := range found.Models {
		if m.Kind == discover.Class || m.Kind == discover.Factory {
			names = append(names, nameOf(m.Ref))
		}
	}
	out := map[string][]discover.Example{}
	if len(names) == 0 {
		return out
	}
	for _, file := range found.Examples {
		data, err := readFound(folder, file, true)
		if err != nil || len(data) > 1<<20 {
			continue
		}
		for _, p := range pythonOf(file, string(data)) {
			mentioned := slices.DeleteFunc(slices.Clone(names), func(n string) bool { return !strings.Contains(p.text, n+"(") })
			if len(mentioned) == 0 {
				continue
			}
			for _, u := range torch.Usages(p.text, mentioned) {
				u.Line += p.before
				out[u.Name] = append(out[u.Name], discover.Example{Usage: u, File: file})
			}
		}
	}
	return out
}

// excerpt is Python in a file, with the number of lines before it.
type excerpt struct {
	text   string
	before int
}

func pythonOf(file, text string) []excerpt {
	if filepath.Ext(file) == ".py" {
		return []excerpt{{text, 0}}
	}
	var out []excerpt
	for _, at := range pythonBlock.FindAllStringSubmatchIndex(text, -1) {
		out = append(out, excerpt{text[at[2]:at[3]], strings.Count(text[:at[2]], "\n")})
	}
	return out
}

// readCalled tries to read a source as its examples call it, and as its defaults do; it returns why none of that is read to its end.
func readCalled(cmd *cobra.Command, folder string, m *discover.Model, uses []discover.Example) (found discover.Call, why string) {
	calls := discover.Calls(m, uses)
	if len(calls) == 0 {
		var missing []string
		for _, p := range m.Params {
			if p.Required {
				missing = append(missing, p.Name)
			}
		}
		return found, fmt.Sprintf("needs %s, which nothing here says: add arg: {%s: …} and input: [3x224x224]", strings.Join(missing, ", "), missing[0])
	}
	for i, c := range calls {
		taken, reason := readOnce(cmd, folder, m, c)
		if reason == "" {
			return taken, ""
		}
		if i == 0 {
			found, why = taken, reason
		}
	}
	return found, why
}

func readOnce(cmd *cobra.Command, folder string, m *discover.Model, c discover.Call) (discover.Call, string) {
	opt := load.Options{Limits: graph.LocalLimits, Inputs: c.Inputs, Args: c.Arguments()}
	model, err := load.Open(cmdContext(cmd), filepath.Join(folder, filepath.FromSlash(m.Ref)), opt)
	if err != nil {
		return c, unreadable(folder, strings.TrimPrefix(err.Error(), filepath.Join(folder, filepath.FromSlash(m.Ref))+": "))
	}
	if len(c.Inputs) == 0 && len(model.Inputs) > 0 {
		file, line := m.Ref[:strings.LastIndexByte(m.Ref, ':')], model.InputsFrom[strings.LastIndexByte(model.InputsFrom, ':')+1:]
		c.Inputs, c.From = model.Inputs, cmp.Or(c.From, file+":"+line) // nothing but the file itself is asked
	}
	res := check.Run(&check.Request{Model: model.Graph})
	switch {
	case res.Verdict == "block":
		return c, "is refused: " + clean(res.Findings[0].Detail)
	case res.Study.Asked() != "":
		return c, "takes an input that nothing here says: add input: [3x224x224]"
	case model.Partly != "":
		return c, "is read in part only: " + strings.ReplaceAll(clean(model.Partly), folder+string(filepath.Separator), "")
	}
	return c, ""
}
