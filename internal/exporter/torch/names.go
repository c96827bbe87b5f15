package torch

import (
	"strconv"
	"strings"
	"unicode"
)

// identifier turns a label into a Python identifier: ASCII letters, digits and single underscores, no digit or underscore at the
// start. Python folds other alphabets in ways of its own, so that two of them could become one. The fallback is for a label of which
// nothing is left.
func identifier(label, fallback string) string {
	var b strings.Builder
	for _, r := range label {
		switch {
		case r < unicode.MaxASCII && isWord(byte(r)) && r != '_':
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "_"):
			b.WriteByte('_')
		}
		if b.Len() >= maxName {
			break
		}
	}
	s := strings.TrimRight(b.String(), "_")
	switch {
	case s == "":
		return fallback
	case s[0] >= '0' && s[0] <= '9':
		return fallback + "_" + s
	}
	return s
}

// maxName keeps a name of a megabyte from filling the file.
const maxName = 60

// namespace gives out names, each once.
type namespace struct{ taken map[string]bool }

func newNamespace(reserved ...string) *namespace {
	n := &namespace{map[string]bool{}}
	for _, words := range reserved {
		for w := range strings.FieldsSeq(words) {
			n.taken[w] = true
		}
	}
	return n
}

// take returns the name, or the name with the first number from 2 on that makes it free.
func (n *namespace) take(name string) string {
	free := name
	for i := 2; n.taken[free]; i++ {
		free = name + "_" + strconv.Itoa(i)
	}
	n.taken[free] = true
	return free
}

// takeAll names every label. A label that is an identifier already keeps it, whatever the others before it become.
func (n *namespace) takeAll(labels []string, fallback func(i int) string) []string {
	out := make([]string, len(labels))
	for i, label := range labels {
		if s := identifier(label, ""); s != "" && s == label && !n.taken[s] {
			out[i] = n.take(s)
		}
	}
	next := map[string]int{} // where the search of a name that many want goes on
	for i, label := range labels {
		if out[i] != "" {
			continue
		}
		name := identifier(label, fallback(i))
		for out[i] = name; n.taken[out[i]]; {
			next[name]++
			out[i] = name + "_" + strconv.Itoa(next[name]+1)
		}
		n.taken[out[i]] = true
	}
	return out
}

// keywords are no identifiers in Python.
const keywords = `False None True and as assert async await break class continue def del elif else except finally for from global if
	import in is lambda nonlocal not or pass raise return try while with yield match case type self print __name__`

// builtins are what emitted code uses of Python: a local variable must not hide them.
const builtins = `torch nn F math sum slice list tuple range zip len max min int float abs str dict set super isinstance enumerate reversed`

// moduleNames are attributes that nn.Module has in some version of PyTorch: a layer of that name would break it.
const moduleNames = `add_module apply bfloat16 buffers call_super_init children compile cpu cuda double dump_patches eval extra_repr
	float forward get_buffer get_extra_state get_parameter get_submodule half ipu load_state_dict modules mtia named_buffers
	named_children named_modules named_parameters parameters register_backward_hook register_buffer register_forward_hook
	register_forward_pre_hook register_full_backward_hook register_full_backward_pre_hook register_load_state_dict_post_hook
	register_load_state_dict_pre_hook register_module register_parameter register_state_dict_post_hook register_state_dict_pre_hook
	requires_grad_ set_extra_state set_submodule share_memory state_dict T_destination to to_empty train training type xpu zero_grad`

// className makes a class name of the name of a model: "U-Net, small" is UNetSmall.
func className(name string) string {
	var b strings.Builder
	start := true
	for _, r := range name {
		if r >= unicode.MaxASCII || !isWord(byte(r)) || r == '_' {
			start = true
			continue
		}
		if start {
			r = unicode.ToUpper(r)
		}
		start = false
		b.WriteRune(r)
		if b.Len() >= maxName {
			break
		}
	}
	s := b.String()
	switch {
	case s == "":
		return "Model"
	case s[0] >= '0' && s[0] <= '9':
		return "Model" + s
	}
	return s
}

// plain makes text of a caller safe inside a comment or a docstring: nothing that ends the line or the string, or that an editor
// would show as something else.
func plain(s string, limit int) string {
	var b strings.Builder
	n := 0
	for _, r := range s {
		if n++; n > limit {
			b.WriteString("…")
			break
		}
		switch {
		case r == '"':
			b.WriteByte('\'')
		case r == '\\':
			b.WriteByte('/')
		case unicode.IsPrint(r) && r != unicode.ReplacementChar:
			b.WriteRune(r)
		default:
			b.WriteByte('?')
		}
	}
	return b.String()
}
