package rules

import (
	"fmt"
	"strings"
)

// chain writes a graph for an example in which each component feeds the next.
func chain(components ...[]string) string {
	var b strings.Builder
	var ids []string
	for _, part := range components {
		for _, c := range part {
			id := fmt.Sprintf("n%d", len(ids)+1)
			ids = append(ids, id)
			b.WriteString(id + ": " + c + "\n")
		}
	}
	return b.String() + strings.Join(ids, " -> ")
}

// times repeats components for a chain.
func times(n int, components ...string) []string {
	var out []string
	for range n {
		out = append(out, components...)
	}
	return out
}

// residual writes a graph for an example with n blocks of a component and an activation, each with a shortcut around it.
func residual(n int, input, component string) string {
	var b strings.Builder
	b.WriteString("a0: " + input + "\no: output\n")
	for i := range n {
		fmt.Fprintf(&b, "f%d: %s\nr%d: relu\na%d: add\na%d -> f%d -> r%d\na%d, r%d -> a%d\n", i, component, i, i+1, i, i, i, i, i, i+1)
	}
	fmt.Fprintf(&b, "a%d -> o", n)
	return b.String()
}
