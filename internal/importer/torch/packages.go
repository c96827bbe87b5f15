package torch

import (
	_ "embed"
	"strings"

	"github.com/modelverifier/verifier/internal/importer/torch/interp"
)

// prelude is what other packages define in Python, written by us: modules made of torch.nn's, and torchvision's building blocks
// for files that use them without having them beside.
//
//go:embed prelude.py
var prelude string

// initialisers are the functions of torch.nn.init: they change values only.
func (r *reader) initialisers() *interp.Module {
	m := interp.Native("torch.nn.init", nil)
	m.Lookup = func(name string) (interp.Value, bool) {
		return interp.Fn(name, func(in *interp.Interp, a *interp.Args) interp.Value {
			if len(a.Pos) == 0 {
				return nil
			}
			if strings.HasSuffix(name, "_") && name[0] != '_' {
				r.mustBeTensor(name, a.Pos[0])
			}
			return a.Pos[0]
		}), true
	}
	return m
}

// mustBeTensor raises where torch.nn.init is given something else: it calls a method of tensors.
func (r *reader) mustBeTensor(name string, v interp.Value) {
	switch x := v.(type) {
	case nil, bool, int64, float64, string, *interp.List:
	case *interp.Instance:
		if _, isModule := r.isModule(x); !isModule || !r.isLeafClass(x.Class) {
			return
		}
	default:
		return
	}
	r.in.Raise("AttributeError", "%s(): a %s has no methods of a tensor", name, interp.TypeName(v))
}

// ignored is a module whose decorators and helpers change nothing that matters.
func (r *reader) ignored(name string, attrs map[string]interp.Value) *interp.Module {
	m := interp.Native(name, attrs)
	m.Lookup = func(n string) (interp.Value, bool) {
		r.cast = r.cast || strings.HasSuffix(name, ".amp") || n == "autocast"
		return interp.Symbol{Name: name + "." + n}, n[0] != '_'
	}
	return m
}

// nothing is a function whose result is not known.
func nothing(name string) interp.Value {
	return interp.Fn(name, func(in *interp.Interp, _ *interp.Args) interp.Value {
		return in.Unknown("what %s gives is not known", name)
	})
}

// first returns its first argument: decorators.
func first() interp.Value {
	return interp.Fn("decorator", func(in *interp.Interp, a *interp.Args) interp.Value {
		if len(a.Pos) == 0 {
			return interp.Fn("decorator", func(_ *interp.Interp, a *interp.Args) interp.Value { return a.Pos[0] })
		}
		return a.Pos[0]
	})
}

// run calls a function with the rest of the arguments: checkpoint and the like.
func run() interp.Value {
	return interp.Fn("run", func(in *interp.Interp, a *interp.Args) interp.Value {
		out := &interp.Args{Pos: a.Pos[1:]}
		for _, kw := range a.Kw {
			if kw.Name != "use_reentrant" && kw.Name != "preserve_rng_state" && kw.Name != "context_fn" && kw.Name != "determinism_check" && kw.Name != "debug" {
				out.Kw = append(out.Kw, kw)
			}
		}
		return in.Call(a.Pos[0], out)
	})
}

func (r *reader) packages(nn, functional *interp.Module) map[string]*interp.Module {
	no := interp.Fn("no", func(*interp.Interp, *interp.Args) interp.Value { return false })
	absent := interp.Fn("is_available", func(*interp.Interp, *interp.Args) interp.Value {
		return interp.Assumed{Value: false, Why: "what the machine has decides a condition"}
	})
	jit := r.ignored("torch.jit", map[string]interp.Value{"is_scripting": no, "is_tracing": no, "script": first(), "export": first(), "ignore": first(),
		"unused": first(), "script_method": first(), "_script_if_tracing": first(), "script_if_tracing": first(), "load": nothing("torch.jit.load"), "ScriptModule": r.moduleClass,
		"annotate": interp.Fn("annotate", func(_ *interp.Interp, a *interp.Args) interp.Value { return a.Pos[1] })})
	fx := r.ignored("torch.fx", map[string]interp.Value{"wrap": first()})
	checkpoint := r.ignored("torch.utils.checkpoint", map[string]interp.Value{"checkpoint": run()})
	norms := r.weightNorms()
	utils := r.ignored("torch.nn.utils", norms)
	utils.Attrs["parametrizations"] = r.ignored("torch.nn.utils.parametrizations", norms)
	utils.Attrs["rnn"] = r.ignored("torch.nn.utils.rnn", r.packing())
	nn.Attrs["utils"] = utils
	out := map[string]*interp.Module{
		"torch.jit": jit, "torch.fx": fx, "torch.utils.checkpoint": checkpoint, "torch.nn.init": nn.Attrs["init"].(*interp.Module),
		"torch.utils": r.ignored("torch.utils", map[string]interp.Value{"checkpoint": checkpoint}), "torch.nn.utils": utils,
		"torch.nn.utils.rnn":              utils.Attrs["rnn"].(*interp.Module),
		"torch.nn.utils.parametrizations": utils.Attrs["parametrizations"].(*interp.Module),
		"torch.nn.parameter":              interp.Native("torch.nn.parameter", map[string]interp.Value{"Parameter": r.parameterClass}),
		"torch.utils.model_zoo":           r.ignored("torch.utils.model_zoo", nil), "torch.hub": r.ignored("torch.hub", nil),
		"torch.autograd": r.ignored("torch.autograd", map[string]interp.Value{"Variable": first(), "Function": r.functionClass()}),
		"torch.cuda.amp": r.ignored("torch.cuda.amp", nil), "torch.amp": r.ignored("torch.amp", nil), "torch.cuda": r.ignored("torch.cuda", map[string]interp.Value{"is_available": absent}),
		"torch.optim": r.ignored("torch.optim", nil), "torch.distributed": r.ignored("torch.distributed", map[string]interp.Value{"is_available": absent, "is_initialized": absent}),
		"torch.utils.data": r.ignored("torch.utils.data", nil), "torch.backends": r.ignored("torch.backends", nil),
		"torch._jit_internal": r.ignored("torch._jit_internal", nil), "torch.types": r.ignored("torch.types", nil), "torch.version": r.ignored("torch.version", nil),
		"torch.special": r.module("torch.special", nil), "torch.linalg": r.linalgModule(),
		"torch.profiler": r.ignored("torch.profiler", nil), "torch.export": r.ignored("torch.export", nil), "torch._dynamo": r.ignored("torch._dynamo", nil),
		"torch.ao":              r.ignored("torch.ao", nil),
		"torch.ao.quantization": r.ignored("torch.ao.quantization", r.quantization()), "torch.quantization": r.ignored("torch.quantization", r.quantization()),
		"torch.nn.quantized": r.ignored("torch.nn.quantized", r.quantization()), "torch.ao.nn.quantized": r.ignored("torch.ao.nn.quantized", r.quantization()),
	}
	for name, m := range r.layerModules(nn) {
		out[name] = m
	}
	return out
}

// pairs makes a tuple of n of a number, and leaves a sequence alone.
func pairs(n int) interp.Value {
	return interp.Fn("pair", func(in *interp.Interp, a *interp.Args) interp.Value {
		switch a.Pos[0].(type) {
		case *interp.Tuple, *interp.List:
			return interp.NewTuple(in.Iterate(a.Pos[0])...)
		}
		t := interp.NewTuple()
		for range n {
			t.Items = append(t.Items, a.Pos[0])
		}
		return t
	})
}

// quantization are the modules that mark where a network would be quantised: they pass their input on.
func (r *reader) quantization() map[string]interp.Value {
	pass := func(name string) *interp.Class {
		return r.native(name, "*", nil, func(_ *interp.Instance, a *interp.Args) interp.Value { return a.Pos[0] })
	}
	f := interp.NewClass("FloatFunctional", r.moduleClass)
	f.Method("__init__", func(_ *interp.Interp, a *interp.Args) interp.Value { r.begin(a); return nil })
	for name, op := range map[string]string{"add": "+", "mul": "*", "add_scalar": "+", "mul_scalar": "*"} {
		f.Method(name, func(in *interp.Interp, a *interp.Args) interp.Value { return in.Binary(op, a.Pos[1], a.Pos[2]) })
	}
	f.Method("add_relu", func(in *interp.Interp, a *interp.Args) interp.Value {
		return r.unary("relu", r.tensor("add_relu", in.Binary("+", a.Pos[1], a.Pos[2])))
	})
	f.Method("cat", func(in *interp.Interp, a *interp.Args) interp.Value {
		dim, ok := a.Get("dim", 2)
		if !ok {
			dim = int64(0)
		}
		return r.concat(r.tensors("cat", a.Pos[1]), dim)
	})
	return map[string]interp.Value{"QuantStub": pass("QuantStub"), "DeQuantStub": pass("DeQuantStub"), "FloatFunctional": f}
}
