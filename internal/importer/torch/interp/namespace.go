package interp

import "strings"

// namespace is globals(), vars(module) and module.__dict__: the names of a module, which can be read and written.
type namespace struct{ m *Module }

// TypeName is for messages.
func (n *namespace) TypeName() string { return "dict" }

// ClassOf is for isinstance.
func (n *namespace) ClassOf() *Class { return dictClass }

func (in *Interp) globals() Value {
	m := in.module()
	if m == nil {
		return NewDict()
	}
	return &namespace{m}
}

func (n *namespace) get(in *Interp, k Value) (Value, bool) {
	name, ok := k.(string)
	if !ok {
		return nil, false
	}
	if _, own := n.m.Attrs[name]; !own && n.m.File != "" {
		return nil, false
	}
	return in.moduleAttr(n.m, name)
}

// Item is globals()[name].
func (n *namespace) Item(in *Interp, index Value) Value {
	if u, ok := index.(*Unknown); ok {
		return u
	}
	if v, ok := n.get(in, index); ok {
		return v
	}
	if n.m.open || n.m.File == "" {
		in.Doubt("KeyError", "%s", Repr(index))
	}
	in.Raise("KeyError", "%s", Repr(index))
	return nil
}

// SetItem is globals()[name] = v.
func (n *namespace) SetItem(in *Interp, index, v Value) {
	name, ok := index.(string)
	if !ok {
		n.m.open = true
		return
	}
	in.spend(1)
	n.m.Attrs[name] = v
}

// Contains is name in globals().
func (n *namespace) Contains(in *Interp, v Value) Value {
	_, ok := n.get(in, v)
	if !ok && (n.m.open || n.m.File == "") {
		in.Guess("whether %s has a name is not known", n.m.Name)
	}
	return ok
}

// Iterate goes over the names.
func (n *namespace) Iterate(in *Interp) []Value {
	in.spend(int64(len(n.m.Attrs)))
	var out []Value
	for _, name := range sortedNames(n.m.Attrs) {
		out = append(out, name)
	}
	return out
}

// Length is len(globals()).
func (n *namespace) Length(in *Interp) Value {
	return in.Unknown("the number of names of %s is not known", n.m.Name)
}

func (n *namespace) dict(in *Interp) *Dict {
	d := NewDict()
	for _, k := range n.Iterate(in) {
		v, _ := n.get(in, k)
		d.Set(k, v)
	}
	return d
}

// Attr gives the methods of a dictionary.
func (n *namespace) Attr(in *Interp, name string) (Value, bool) {
	switch name {
	case "get":
		return Fn(name, func(in *Interp, a *Args) Value {
			b := a.Bind(in, name, "key", "default")
			if v, ok := n.get(in, b[0]); ok {
				return v
			}
			return Or(b[1], nil)
		}), true
	case "update":
		return Fn(name, func(in *Interp, a *Args) Value {
			d := NewDict()
			dictMethods["update"](in, d, a)
			for i, k := range d.keys {
				n.SetItem(in, k, d.vals[i])
			}
			return nil
		}), true
	case "setdefault":
		return Fn(name, func(in *Interp, a *Args) Value {
			b := a.Bind(in, name, "key", "default")
			if v, ok := n.get(in, b[0]); ok {
				return v
			}
			n.SetItem(in, b[0], Or(b[1], nil))
			return Or(b[1], nil)
		}), true
	case "keys", "values", "items", "copy":
		return in.containerMethod(n.dict(in), name)
	}
	return nil, false
}

// noParts are packages whose values are no parts of a model: what they give may be kept in a module.
var noParts = map[string]bool{}

func init() {
	for _, n := range strings.Fields(`tqdm matplotlib PIL cv2 wandb requests termcolor colorama prettytable tabulate psutil sklearn scipy pandas gym gymnasium visdom
		tensorboardX tensorboard seaborn skimage imageio h5py librosa soundfile nltk sacrebleu ipdb pdb rich loguru pynvml tensorboard_logger
		torchvision.transforms torchvision.datasets torchvision.utils torchvision.io thop ptflops torchsummary torchinfo fvcore.nn.flop_count`) {
		noParts[n] = true
	}
}

// holdsNoParts reports whether nothing that a package gives can be, or hold, a part of a model.
func holdsNoParts(name string) bool {
	name = strings.Trim(name, "<>")
	top, _, _ := strings.Cut(name, ".")
	switch top {
	case "pickle", "importlib", "runpy", "copyreg", "shelve", "marshal":
		return false
	}
	return standard[top] || noParts[top] || noParts[name]
}
