package infer

import "github.com/modelverifier/verifier/internal/catalog"

// KnownParams is the number of weights, nil where it is not known.
func (n *Node) KnownParams() *int64 { return unless(n.LacksWeights, n.Params) }

// KnownFLOPs is the cost of one sample, nil where it is not known.
func (n *Node) KnownFLOPs() *int64 { return unless(n.LacksFLOPs, n.FLOPs) }

// KnownSaved is what is saved for backward, nil where it is not known.
func (n *Node) KnownSaved() *int64 { return unless(n.LacksSaved(), n.SavedBytes) }

// LacksSaved reports whether what is saved for backward is not known. A module of the caller's own declares its FLOPs and weights, but not
// what it saves, nor does one of a library whose code nobody followed; one that names its module is estimated from the library's code.
func (n *Node) LacksSaved() bool {
	switch n.State {
	case Refused, Unknown:
		return !n.Type.Has(catalog.IsVirtual)
	case Legal, Withheld:
		return n.unfollowed || n.Type.Has(catalog.IsOpaque) && n.Component.As() == ""
	}
	return false
}

// KnownFLOPs is the cost of one sample, nil where it lacks a component.
func (r *Result) KnownFLOPs() *int64 { return unless(len(r.FLOPsWithheld()) > 0, r.FLOPs) }

// KnownSaved is what is saved for backward, nil where it lacks a component.
func (r *Result) KnownSaved() *int64 {
	return unless(len(r.which((*Node).LacksSaved)) > 0, r.SavedBytes)
}

// CostWithheld returns the ids of the components that memory, time and price lack something of, in the order of the graph: their result,
// weights, FLOPs or what they save for backward is not known.
func (r *Result) CostWithheld() []string {
	return r.which(func(n *Node) bool {
		unseen := n.State == Unknown || n.State == Refused || n.State == Withheld
		return (unseen || n.LacksFLOPs || n.LacksWeights || n.LacksSaved()) && !n.Type.Has(catalog.IsVirtual)
	})
}

func unless(lacks bool, n int64) *int64 {
	if lacks {
		return nil
	}
	return &n
}
