package torch

import (
	"slices"
	"strings"

	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/importer/torch/interp"
)

// reader is one import: the interpreter, what torch is in it, and the graph that is being made.
type reader struct {
	in       *interp.Interp
	training bool
	batch    int64 // the batch that the program is read for, where it needs one
	fixed    bool  // it needed one
	// unbatched is set where no input has a batch: what comes out of one call is the sample.
	unbatched bool
	cast      bool                      // the program changes the width of weights or of products in ways that are not followed
	pinned    bool                      // the program is read for a batch from the beginning
	results   []result                  // of the forward
	flattens  map[*interp.Instance]bool // layers whose input is flattened, by an edit

	moduleClass, sequentialClass *interp.Class
	tensorClass, parameterClass  *interp.Class

	graph   *graph.Graph
	used    map[string]int
	inputs  []*Tensor
	paths   map[*interp.Instance]string
	buffers map[*interp.Instance][]string // the names of those that a program registered
	leaves  map[string]bool
	built   map[string]interp.Place // where the leaves were constructed
	lines   []interp.Place          // of the components
	calls   []interp.Place          // of the components: what ran them
	ints    []bool                  // whether the engine takes the result of a component for whole numbers
	scopes  []string
	customs int
	weights map[*Param]bool // those that parameters() has, once the model is built
	last    *Tensor
	stopped bool
	// einopsError is the class of what einops raises.
	einopsError  *interp.Class
	ndarrayClass *interp.Class
	selections   map[*interp.Unknown][]*Tensor // results of unknown size, and what they were taken from
	options      Options                       // what the caller gave
	taken        map[string]bool               // arguments that a parser of command lines took
	refused      int                           // the component that does not run, where it is in the graph; it is never the first, which is an input
}

// quiet are the functions of torch that switch something on or off, or describe a place or a type.
var quiet = []string{
	"torch.no_grad", "torch.enable_grad", "torch.inference_mode", "torch.autocast", "torch.set_grad_enabled", "torch.device", "torch.dtype", "torch.Generator",
	"torch.manual_seed", "torch.set_float32_matmul_precision", "torch.cuda.", "torch.amp.", "torch.backends.", "torch.profiler.", "torch.fx.", "torch.jit.",
	"torch.compiler.", "torch._dynamo.", "torch.distributed.", "torch.optim.", "torch.utils.data.", "torch.version", "torch.types", "torch._jit_internal.",
	"torch.mps.", "device", "torch.memory_format",
}

func newReader(in *interp.Interp, training bool, opt Options) *reader {
	r := &reader{in: in, training: training, options: opt, graph: &graph.Graph{}, used: map[string]int{}, paths: map[*interp.Instance]string{}, buffers: map[*interp.Instance][]string{}, leaves: map[string]bool{}, built: map[string]interp.Place{}}
	r.moduleClass = r.makeModuleClass()
	r.tensorClass = interp.NewClass("Tensor")
	r.parameterClass = interp.NewClass("Parameter", r.tensorClass)
	in.Assume = r.samples
	in.Libraries()
	in.Own = preludeOf
	in.Quiet = append(in.Quiet, quiet...)
	r.libraries()
	return r
}

// libraries registers torch.
func (r *reader) libraries() {
	r.tensorConstructors()
	nn := r.nn()
	functional := r.module("torch.nn.functional", r.functional())
	nn.Attrs["functional"] = functional
	torch := r.module("torch", r.torch())
	torch.Attrs["nn"] = nn
	r.versioned(torch, "2.11.0")
	torch.Attrs["Tensor"], torch.Attrs["FloatTensor"], torch.Attrs["LongTensor"] = r.tensorClass, r.tensorClass, r.tensorClass
	for name, m := range r.packages(nn, functional) {
		r.in.Natives[name] = m
	}
	for _, make := range beside {
		m := make(r)
		r.in.Natives[m.Name] = m
	}
	r.addFunctions(torch)
	torch.Values = func(name string) bool {
		return name != "load" && name != "hub" && name != "jit" && name != "nn" && name != "classes"
	}
	functional.Values = func(string) bool { return true }
	checkAll(nn.Attrs["init"].(*interp.Module))
	for _, m := range []*interp.Module{nn, functional, torch} {
		checkAll(m)
		r.in.Natives[m.Name] = listed(m)
	}
	nn.Attrs["modules"] = r.in.Natives["torch.nn.modules"]
}

// nn is torch.nn without its functions.
func (r *reader) nn() *interp.Module {
	nn := interp.Native("torch.nn", map[string]interp.Value{"Module": r.moduleClass})
	r.sequentialClass = r.makeSequential()
	nn.Attrs["Sequential"] = r.sequentialClass
	nn.Attrs["ModuleList"] = r.makeList("ModuleList")
	nn.Attrs["ParameterList"] = r.makeList("ParameterList")
	nn.Attrs["ModuleDict"] = r.makeModuleDict("ModuleDict")
	nn.Attrs["ParameterDict"] = r.makeModuleDict("ParameterDict")
	for i := range layers {
		nn.Attrs[layers[i].class] = r.makeLayer(&layers[i])
	}
	nn.Lookup = func(n string) (interp.Value, bool) {
		if base := baseLayers[n]; base != "" && n[0] != '_' {
			return r.baseLayer(nn, n, base), true
		}
		return nil, false
	}
	for name, c := range r.moreLayers() {
		nn.Attrs[name] = c
	}
	nn.Attrs["Parameter"] = r.parameterClass
	nn.Attrs["Buffer"] = interp.Fn("Buffer", func(in *interp.Interp, a *interp.Args) interp.Value { return a.Pos[0] })
	nn.Attrs["init"] = r.initialisers()
	return nn
}

// tensorConstructors gives nn.Parameter and torch.Tensor what their calls do.
func (r *reader) tensorConstructors() {
	r.parameterClass.SetOwn("__new__", interp.Fn("Parameter", func(in *interp.Interp, a *interp.Args) interp.Value {
		b := (&interp.Args{Pos: a.Pos[1:], Kw: a.Kw}).BindAll(in, "Parameter", "data", "requires_grad")
		t, ok := b[0].(*Tensor)
		if !ok {
			if u, unknown := b[0].(*interp.Unknown); unknown {
				in.Fault("the shape of a weight is not known: %s", u.Reason())
			}
			in.Fault("a weight is made of a %s", interp.TypeName(b[0]))
		}
		if t.batch >= 0 {
			in.Fault("a weight is made of a tensor that depends on the input")
		}
		p := r.newParam(t.shape)
		p.width = t.width
		p.param.trains(interp.Or(b[1], true))
		return p
	}))
	r.tensorClass.SetOwn("__new__", interp.Fn("Tensor", func(in *interp.Interp, a *interp.Args) interp.Value {
		args := &interp.Args{Pos: a.Pos[1:], Kw: a.Kw}
		if len(args.Pos) == 1 {
			if _, isInt := interp.AsInt(args.Pos[0]); !isInt {
				return r.literalTensor(args)
			}
		}
		return r.filled(args.Pos, false)
	}))
}

// beside are the native modules of packages that models use beside torch. Each registers itself in its own file.
var beside []func(r *reader) *interp.Module

// module makes a module whose functions take a tensor first, beside those that are given.
func (r *reader) module(name string, attrs map[string]interp.Value) *interp.Module {
	m := interp.Native(name, attrs)
	m.Lookup = func(n string) (interp.Value, bool) {
		if strings.HasPrefix(n, "autocast") || strings.HasPrefix(n, "set_default_") {
			r.cast = true
		}
		if name == "torch" && dtypes[n] != "" { // torch.long is a type of numbers, where x.long() is a method
			return interp.Symbol{Name: name + "." + n}, true
		}
		op, ok := operations[n]
		if ok && name == "torch" && isType(n) { // torch.long is a type, x.long() a method
			return interp.Symbol{Name: name + "." + n}, true
		}
		if !ok {
			op, ok = operations[strings.TrimSuffix(n, "_")]
		}
		if !ok {
			if isType(n) {
				return interp.Symbol{Name: name + "." + n}, true
			}
			return nil, false
		}
		return interp.Fn(n, func(in *interp.Interp, a *interp.Args) interp.Value { return r.operate(n, op, a) }), true
	}
	return m
}

func isType(n string) bool {
	switch n {
	case "float", "float16", "float32", "float64", "bfloat16", "half", "double", "int", "int8", "int16", "int32", "int64", "long", "short", "uint8",
		"bool", "device", "dtype", "Generator", "strided", "channels_last", "contiguous_format", "preserve_format", "no_grad", "enable_grad",
		"inference_mode", "autocast", "set_grad_enabled", "complex64", "Type", "jit", "fx", "backends", "cuda", "amp", "hub", "autograd", "compiler",
		"memory_format", "distributed", "version", "manual_seed", "set_float32_matmul_precision", "optim", "utils", "mps", "_C", "_dynamo", "__version__":
		return true
	}
	return false
}

// operate calls an operation as a function: its tensor is the first argument, or "input".
func (r *reader) operate(name string, op operation, a *interp.Args) interp.Value {
	args := &interp.Args{Kw: a.Kw}
	var first interp.Value
	if len(a.Pos) > 0 {
		first, args.Pos = a.Pos[0], a.Pos[1:]
	} else {
		args.Kw = nil
		for _, kw := range a.Kw {
			if first == nil && (kw.Name == "input" || kw.Name == "x" || kw.Name == "self") {
				first = kw.Value
				continue
			}
			args.Kw = append(args.Kw, kw)
		}
	}
	if l, ok := first.(*later); ok {
		first = l.make()
	}
	t, ok := first.(*Tensor)
	if !ok {
		if u, unknown := first.(*interp.Unknown); unknown {
			return u
		}
		if sign := map[string]string{"pow": "**", "add": "+", "sub": "-", "mul": "*", "div": "/"}[name]; sign != "" && len(args.Pos) == 1 {
			return r.in.Binary(sign, first, args.Pos[0])
		}
		r.in.RaiseFor(first, "TypeError", "%s(): argument 'input' must be Tensor, not %s", name, interp.TypeName(first))
	}
	return op(r, t, numpyNames(args))
}

// numpyNames are the names of arguments that PyTorch takes from NumPy beside its own.
func numpyNames(a *interp.Args) *interp.Args {
	own := map[string]string{"axis": "dim", "keepdims": "keepdim"}
	if !slices.ContainsFunc(a.Kw, func(kw interp.KV) bool { return own[kw.Name] != "" }) {
		return a
	}
	out := &interp.Args{Pos: a.Pos, Kw: slices.Clone(a.Kw)}
	for i := range out.Kw {
		if n := own[out.Kw[i].Name]; n != "" {
			out.Kw[i].Name = n
		}
	}
	return out
}
