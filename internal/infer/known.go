package infer

import "github.com/modelverifier/verifier/internal/catalog"

// KnownParams is the number of weights, nil where it is not known.
func (n *Node) KnownParams() *int64 { return unless(n.LacksWeights, n.Params) }

// KnownFLOPs is the cost of one sample, nil where it is not known.
func (n *Node) KnownFLOPs() *int64 { return unless(n.LacksFLOPs, n.FLOPs) }

// KnownSaved is what is saved for backward, nil where it is not known.
func (n *Node) KnownSaved() *int64 { return unless(n.lacksSaved(), n.SavedBytes) }

func (n *Node) lacksSaved() bool {
	return (n.State == Refused || n.State == Unknown) && !n.Type.Has(catalog.IsVirtual)
}

// KnownFLOPs is the cost of one sample, nil where it lacks a component.
func (r *Result) KnownFLOPs() *int64 { return unless(len(r.FLOPsWithheld()) > 0, r.FLOPs) }

// KnownSaved is what is saved for backward, nil where it lacks a component.
func (r *Result) KnownSaved() *int64 {
	return unless(len(r.which((*Node).lacksSaved)) > 0, r.SavedBytes)
}

func unless(lacks bool, n int64) *int64 {
	if lacks {
		return nil
	}
	return &n
}
