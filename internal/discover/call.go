package discover

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/modelverifier/verifier/internal/importer/torch"
)

// Call is what a source is called with, and where that was found.
type Call struct {
	Args   []string // name=value
	Inputs []string
	From   string // path:line, "" where nothing had to be found
}

func (c *Call) same(o *Call) bool {
	return slices.Equal(c.Args, o.Args) && slices.Equal(c.Inputs, o.Inputs)
}

// Arguments are the arguments by their names.
func (c *Call) Arguments() map[string]string {
	out := map[string]string{}
	for _, a := range c.Args {
		name, value, _ := strings.Cut(a, "=")
		out[name] = value
	}
	return out
}

// Example is a usage of a model with the file that it is in.
type Example struct {
	torch.Usage
	File string
}

// mostCalls is how many ways to call a model are tried.
const mostCalls = 5

// Calls are the ways to call a model, those with inputs first, and then its defaults where nothing is required.
func Calls(m *Model, uses []Example) []Call {
	file, _, _ := strings.Cut(m.Ref, ".py:")
	uses = slices.Clone(uses)
	slices.SortStableFunc(uses, func(a, b Example) int { return rankOf(&a, file+".py") - rankOf(&b, file+".py") })
	var out []Call
	for i := range uses {
		c, ok := callOf(m, &uses[i])
		if ok && len(out) < mostCalls && !slices.ContainsFunc(out, func(o Call) bool { return o.same(&c) }) {
			out = append(out, c)
		}
	}
	if !slices.ContainsFunc(m.Params, func(p Param) bool { return p.Required }) {
		out = append(out, Call{})
	}
	for _, c := range out {
		if picture := pictureOf(m, &c); len(c.Inputs) == 0 && picture != "" {
			from := cmp.Or(c.From, "the size and channels of images that its constructor takes")
			out = append(out, Call{Args: c.Args, Inputs: []string{picture}, From: from})
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
func pictureOf(m *Model, c *Call) string {
	values := map[string]string{}
	for _, p := range m.Params {
		values[p.Name] = p.Default
	}
	for _, a := range c.Args {
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
func rankOf(e *Example, file string) int {
	n := 0
	if e.Inputs == nil {
		n += 2
	}
	if e.File != file {
		n++
	}
	return n
}

// callOf gives the arguments of an example their names; ok is false where one has none, or one that is required is missing.
func callOf(m *Model, e *Example) (c Call, ok bool) {
	c.From = fmt.Sprintf("%s:%d", e.File, e.Line)
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
		c.Args = append(c.Args, name+"="+a.Value)
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
		c.Inputs = append(c.Inputs, text)
	}
	return c, true
}
