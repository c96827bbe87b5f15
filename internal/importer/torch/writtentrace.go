package torch

import (
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/importer/torch/interp"
)

func init() { beside = append(beside, (*reader).verifierTrace) }

// verifierTrace is the module that the Python package imports in the source which it writes of a traced nn.Module
// (python/verifier/tracing/source.py).
func (r *reader) verifierTrace() *interp.Module {
	return interp.Native("verifier_trace", map[string]interp.Value{
		"opaque": interp.Fn("opaque", r.recordedCall),
		"within": interp.Fn("within", r.recordedScope),
	})
}

// recordedCall is opaque(name, shape, dtype, *tensors): a call that ran and gave this shape, and of which nothing else is known here. Its FLOPs
// are not declared.
func (r *reader) recordedCall(in *interp.Interp, a *interp.Args) interp.Value {
	b := (&interp.Args{Pos: a.Pos[:min(3, len(a.Pos))]}).Bind(in, "opaque", "name", "shape", "dtype")
	name, ok := b[0].(string)
	if !ok {
		in.Raise("TypeError", "opaque() takes a name first, not a %s", interp.TypeName(b[0]))
	}
	out := r.filled(in.Iterate(b[1]), false)
	r.typed(out, &interp.Args{Kw: []interp.KV{{Name: "dtype", Value: b[2]}}})
	var inputs []*Tensor
	for _, v := range a.Pos[min(3, len(a.Pos)):] {
		if t, isTensor := v.(*Tensor); isTensor && !t.constant() {
			inputs = append(inputs, t)
		}
	}
	if len(inputs) == 0 {
		return out
	}
	if out.empty() {
		in.Fault("%s gives a tensor without elements, which is not followed", name)
	}
	params := []graph.Param{param("outShape", out.shape), param("code", name), param("numParams", 0)}
	out.node = r.component("customModule", name, params, inputs)
	r.customs++
	return out
}

// recordedScope is within(path): the module of this path is running from here on, which names the components of the operations that follow.
func (r *reader) recordedScope(in *interp.Interp, a *interp.Args) interp.Value {
	path, ok := a.Bind(in, "within", "path")[0].(string)
	if !ok {
		in.Raise("TypeError", "within() takes the path of a module")
	}
	r.scopes = nil
	if path != "" {
		r.scopes = []string{path}
	}
	return nil
}
