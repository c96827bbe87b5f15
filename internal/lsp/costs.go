package lsp

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/internal/quantity"
)

type nodeOf = infer.Node

// mostParts is how many components of a line are listed.
const mostParts = 20

// shapeOf writes the result of a component as PyTorch does, with the batch as N; "" where it is not known.
func shapeOf(n *nodeOf) string {
	if n.Out == nil {
		return ""
	}
	parts := []string{"N"}
	for _, size := range n.Out {
		parts = append(parts, strconv.FormatInt(size, 10))
	}
	return "(" + strings.Join(parts, ", ") + ")"
}

// costs is a line of Markdown about a component: what it is, what it gives, and what it costs for one sample.
func costs(n *nodeOf) string {
	if n.Component == nil {
		return ""
	}
	text := fmt.Sprintf("**%s** `%s`", strings.ReplaceAll(n.Component.Label(), "*", ""), n.Component.Type)
	if shape := shapeOf(n); shape != "" {
		text += " → `" + shape + "`"
	}
	var parts []string
	if p := n.KnownParams(); p == nil {
		parts = append(parts, "weights not known")
	} else if *p > 0 {
		parts = append(parts, quantity.Grouped(*p)+" parameters")
	}
	if f := n.KnownFLOPs(); f == nil {
		parts = append(parts, "FLOPs not known")
	} else if *f > 0 {
		parts = append(parts, quantity.FLOPs(*f))
	}
	if b := n.KnownSaved(); b != nil && *b > 0 {
		parts = append(parts, quantity.Bytes(*b)+" saved for backward")
	}
	if len(parts) > 0 {
		text += ": " + strings.Join(parts, ", ") + " a sample"
	}
	return text
}
