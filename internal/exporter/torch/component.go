package torch

import (
	"strconv"
	"strings"

	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/infer"
)

// component is how one component of a graph is written.
type component struct {
	node *infer.Node
	// build is the expression of the module that __init__ makes; empty for what forward does by itself. It may need the class in
	// module.
	build, module string
	// call is what forward does with the inputs where there is no module: a lambda, the name of a function or an operator.
	call string
	// owner is the component whose module this one calls once more, or itself.
	owner int
}

// describe finds out how a component is written.
func describe(node *infer.Node) component {
	c := component{node: node}
	if node.Type == nil {
		c.build, c.module = `Missing(`+quote(node.Component.Type)+`)`, missing
		return c
	}
	if operators[node.Type.ID] != "" {
		c.call = operators[node.Type.ID]
		return c
	}
	text := plainer(node)
	if text == "" {
		text = node.Type.Expression(known(node))
		c.module = node.Type.Classes(node.Args)
	}
	if e, ok := parse(text); ok {
		dropDefaults(e)
		text = e.String()
	}
	if strings.HasPrefix(text, "lambda ") || !strings.HasSuffix(text, ")") {
		c.call, c.module = text, ""
	} else {
		c.build = text
	}
	return c
}

// known returns the arguments of a component. Where a library reads a number of channels below 1 as "that of the input", it is that.
func known(node *infer.Node) []graph.Value {
	if !strings.Contains(node.Type.Torch, "torch_geometric.") || len(node.In) == 0 || len(node.In[0]) == 0 {
		return node.Args
	}
	args := append([]graph.Value(nil), node.Args...)
	for i := range args {
		if node.Type.Params[i].Name == "inChannels" && args[i].Int() < 1 {
			args[i] = graph.IntValue(node.In[0].At(-1))
		}
	}
	return args
}

// missing stands for a component whose type nobody knows.
const missing = `class Missing(nn.Module):
    """Holds the place of a component whose type is not known."""

    def __init__(self, kind):
        super().__init__()
        self.kind = kind

    def forward(self, *inputs):
        raise NotImplementedError(f"{self.kind} is not a type that the verifier knows")`

func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range plain(s, maxName) {
		if r < 127 {
			b.WriteRune(r)
		} else {
			b.WriteByte('?')
		}
	}
	b.WriteByte('"')
	return b.String()
}

// operators are merges that Python has a sign for.
var operators = map[string]string{"add": "+", "subtract": "-", "multiply": "*", "divide": "/"}

// plainer returns a lambda that reads better than the general one of the catalogue, for the components in which the arguments decide
// what is to be written; empty for all others.
func plainer(node *infer.Node) string {
	switch node.Type.ID {
	case "slice":
		return plainSlice(node, argument(node, "dim"), argument(node, "start"), argument(node, "end"), argument(node, "step"))
	case "pad":
		if padding := argument(node, "padding"); argument(node, "mode").Str() == "circular" && len(node.In) == 1 && len(padding.List()) != 2*len(node.In[0])-2 {
			return "lambda x: pad_circular(x, " + strings.NewReplacer("[", "(", "]", ")", ",", ", ").Replace(padding.String()) + ")"
		}
		text := node.Type.Expression(node.Args)
		text = strings.Replace(text, ` if "constant" == "constant" else None`, "", 1)
		before, after, found := strings.Cut(text, ", value=")
		if found && strings.HasSuffix(after, " else None)") {
			return before + ")"
		}
		return text
	case "upsample":
		return plainUpsample(node, argument(node, "size"), argument(node, "mode").Str())
	}
	return ""
}

// plainSlice writes x[:, 2:5] for an axis that is known.
func plainSlice(node *infer.Node, dim, start, end, step graph.Value) string {
	if len(node.In) != 1 || node.In[0] == nil || dim.Kind() != graph.Int {
		return ""
	}
	axis := dim.Int()
	if n := int64(len(node.In[0]) + 1); axis < 0 {
		axis += n
	}
	if axis < 0 || axis > int64(len(node.In[0])) {
		return ""
	}
	bound := func(v graph.Value) string {
		if v.Kind() != graph.Int {
			return ""
		}
		return strconv.FormatInt(v.Int(), 10)
	}
	from := bound(start)
	if from == "0" {
		from = ""
	}
	text := from + ":" + bound(end)
	if s := bound(step); s != "" && s != "1" {
		text += ":" + s
	}
	return "lambda x: x[" + strings.Repeat(":, ", int(axis)) + text + "]"
}

// plainUpsample resolves the conditions of the general expression.
func plainUpsample(node *infer.Node, size graph.Value, mode string) string {
	text := node.Type.Expression(node.Args)
	cut := func(name, until string, keep bool) {
		before, rest, found := strings.Cut(text, ", "+name+"=")
		if !found {
			return
		}
		value, tail, _ := strings.Cut(rest, " if ")
		_, after, ended := strings.Cut(tail, until)
		if !ended {
			return
		}
		if text = before + after; keep {
			text = before + ", " + name + "=" + value + after
		}
	}
	cut("scale_factor", "else None", size.Kind() == graph.Null)
	cut("align_corners", "else None", strings.Contains(mode, "linear") || mode == "bicubic")
	return text
}

// inline writes what a lambda or a function gives for these variables.
func inline(call string, vars []string) string {
	if len(call) == 1 {
		return strings.Join(vars, " "+call+" ")
	}
	head, body, isLambda := strings.Cut(strings.TrimPrefix(call, "lambda "), ": ")
	if !isLambda || !strings.HasPrefix(call, "lambda ") {
		return call + "(" + strings.Join(vars, ", ") + ")"
	}
	values, spread := map[string]string{}, map[string]string{}
	for i, name := range strings.Split(head, ", ") {
		if rest, star := strings.CutPrefix(name, "*"); star {
			values[rest], spread[rest] = tuple(vars[min(i, len(vars)):]), strings.Join(vars[min(i, len(vars)):], ", ")
		} else if i < len(vars) {
			values[name] = vars[i]
		}
	}
	return substitute(body, values, spread)
}

func tuple(vars []string) string {
	if len(vars) == 1 {
		return "(" + vars[0] + ",)"
	}
	return "(" + strings.Join(vars, ", ") + ")"
}

// substitute puts variables in place of the parameters of a lambda, but not inside strings, behind a dot or where a keyword argument
// has the same name.
func substitute(body string, values, spread map[string]string) string {
	var b strings.Builder
	for i := 0; i < len(body); {
		if body[i] == '"' || body[i] == '\'' {
			n := max(quoted(body[i:]), 1)
			b.WriteString(body[i : i+n])
			i += n
			continue
		}
		j := i
		for j < len(body) && isWord(body[j]) {
			j++
		}
		if j == i {
			b.WriteByte(body[i])
			i++
			continue
		}
		word := body[i:j]
		value, ok := values[word]
		switch {
		case !ok || i > 0 && body[i-1] == '.' || j < len(body) && body[j] == '=' && !strings.HasPrefix(body[j:], "=="):
			b.WriteString(word)
		case i > 0 && body[i-1] == '*' && spread[word] != "":
			s := strings.TrimSuffix(b.String(), "*")
			b.Reset()
			b.WriteString(s + spread[word])
		default:
			b.WriteString(value)
		}
		i = j
	}
	return b.String()
}
