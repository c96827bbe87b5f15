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

// call is what a source is called with, and where that was found.
type call struct {
	args   []string // name=value
	inputs []string
	from   string // path:line, "" where nothing had to be found
}

// lines are the call as an entry under models: has it. A list of quoted texts is YAML whatever they are.
func (c *call) lines() string {
	var parts []string
	for _, p := range []struct {
		key    string
		values []string
	}{{"input", c.inputs}, {"arg", c.args}} {
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

func (c *call) origin() string {
	if c.from == "" {
		return ""
	}
	if strings.HasPrefix(c.from, "the ") {
		return ", called with " + c.from
	}
	return ", called as in " + clean(c.from)
}

// example is a usage of a model with the file that it is in.
type example struct {
	torch.Usage
	file string
}

// nameOf is the name of file.py:name.
func nameOf(ref string) string { return ref[strings.LastIndexByte(ref, ':')+1:] }

// pythonBlock is an example in Markdown.
var pythonBlock = regexp.MustCompile("(?ms)^[ \t]*```(?:python|py)[^\n]*\n(.*?)^[ \t]*```")

// examples looks through the repository for places where its models are made and called, by their names.
func examples(folder string, found *discover.Found) map[string][]example {
	var names []string
	for _, m := range found.Models {
		if m.Kind == discover.Class || m.Kind == discover.Factory {
			names = append(names, nameOf(m.Ref))
		}
	}
	out := map[string][]example{}
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
				out[u.Name] = append(out[u.Name], example{u, file})
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

// mostCalls is how many ways to call a model are tried.
const mostCalls = 5

// readCalled tries to read a source as its examples call it, and as its defaults do; it returns why none of that is read to its end.
func readCalled(cmd *cobra.Command, folder string, m *discover.Model, uses []example) (found call, why string) {
	calls := callsOf(m, uses)
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

func readOnce(cmd *cobra.Command, folder string, m *discover.Model, c call) (call, string) {
	opt := load.Options{Limits: graph.LocalLimits, Inputs: c.inputs, Args: map[string]string{}}
	for _, a := range c.args {
		name, value, _ := strings.Cut(a, "=")
		opt.Args[name] = value
	}
	model, err := load.Open(cmdContext(cmd), filepath.Join(folder, filepath.FromSlash(m.Ref)), opt)
	if err != nil {
		return c, unreadable(folder, strings.TrimPrefix(err.Error(), filepath.Join(folder, filepath.FromSlash(m.Ref))+": "))
	}
	if len(c.inputs) == 0 && len(model.Inputs) > 0 {
		file, line := m.Ref[:strings.LastIndexByte(m.Ref, ':')], model.InputsFrom[strings.LastIndexByte(model.InputsFrom, ':')+1:]
		c.inputs, c.from = model.Inputs, cmp.Or(c.from, file+":"+line) // nothing but the file itself is asked
	}
	res := check.Run(&check.Request{Model: model.Graph})
	switch {
	case res.Verdict == "block":
		return c, "is refused: " + clean(res.Summary)
	case res.Study.Asked() != "":
		return c, "takes an input that nothing here says: add input: [3x224x224]"
	case model.Partly != "":
		return c, "is read in part only: " + strings.ReplaceAll(clean(model.Partly), folder+string(filepath.Separator), "")
	}
	return c, ""
}

// callsOf are the ways to call a model, those with inputs first, and then its defaults where nothing is required.
func callsOf(m *discover.Model, uses []example) []call {
	file, _, _ := strings.Cut(m.Ref, ".py:")
	uses = slices.Clone(uses)
	slices.SortStableFunc(uses, func(a, b example) int { return rankOf(&a, file+".py") - rankOf(&b, file+".py") })
	var out []call
	for i := range uses {
		c, ok := callOf(m, &uses[i])
		if ok && len(out) < mostCalls && !slices.ContainsFunc(out, func(o call) bool { return o.lines() == c.lines() }) {
			out = append(out, c)
		}
	}
	if !slices.ContainsFunc(m.Params, func(p discover.Param) bool { return p.Required }) {
		out = append(out, call{})
	}
	for _, c := range out {
		if picture := pictureOf(m, &c); len(c.inputs) == 0 && picture != "" {
			from := cmp.Or(c.from, "the size and channels of images that its constructor takes")
			out = append(out, call{args: c.args, inputs: []string{picture}, from: from})
		}
	}
	return out
}

// The parameters that say which images a model takes.
var (
	sizeParam    = regexp.MustCompile(`^(img|image|input)_?(size|resolution|res)$|^resolution$`)
	channelParam = regexp.MustCompile(`^(in|input|img|image)_?(chans?|channels?|ch|nc)$|^(num_)?channels?$`)
	oneNumber    = regexp.MustCompile(`^[1-9][0-9]{0,3}$`)
	twoNumbers   = regexp.MustCompile(`^[(\[]([1-9][0-9]{0,3}), ([1-9][0-9]{0,3})[)\]]$`)
)

// pictureOf is an input of the size and channels that the constructor is given or has as defaults; "" where it takes no size. It is
// written down only where the whole model is read with it.
func pictureOf(m *discover.Model, c *call) string {
	values := map[string]string{}
	for _, p := range m.Params {
		values[p.Name] = p.Default
	}
	for _, a := range c.args {
		name, value, _ := strings.Cut(a, "=")
		values[name] = value
	}
	size, channels := "", "3"
	for _, p := range m.Params {
		switch v := values[p.Name]; {
		case sizeParam.MatchString(p.Name) && oneNumber.MatchString(v):
			size = v + "x" + v
		case sizeParam.MatchString(p.Name) && twoNumbers.MatchString(v):
			size = twoNumbers.ReplaceAllString(v, "${1}x$2")
		case channelParam.MatchString(p.Name) && oneNumber.MatchString(v):
			channels = v
		}
	}
	if size == "" {
		return ""
	}
	return channels + "x" + size
}

// rankOf puts calls with inputs first, and of those the ones of the model's own file.
func rankOf(e *example, file string) int {
	n := 0
	if e.Inputs == nil {
		n += 2
	}
	if e.file != file {
		n++
	}
	return n
}

// callOf gives the arguments of an example their names; ok is false where one has none, or one that is required is missing.
func callOf(m *discover.Model, e *example) (c call, ok bool) {
	c.from = fmt.Sprintf("%s:%d", e.file, e.Line)
	given := map[string]bool{}
	for i, a := range e.Args {
		name := a.Name
		if name == "" {
			if i >= len(m.Params) {
				return c, false
			}
			name = m.Params[i].Name
		}
		given[name] = true
		c.args = append(c.args, name+"="+a.Value)
	}
	for _, p := range m.Params {
		if p.Required && !given[p.Name] {
			return c, false
		}
	}
	for _, in := range e.Inputs {
		text := in.String()
		if len(in.Shape) == 0 {
			text = "1," + text // one number a sample
		}
		c.inputs = append(c.inputs, text)
	}
	return c, true
}
