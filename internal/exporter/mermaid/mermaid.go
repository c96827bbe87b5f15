// Package mermaid writes a model as a Mermaid flow chart, which GitHub, GitLab and many editors draw from the text in a README.
//
// What to show is decided in package scene. Names of callers go in as numbered characters, so that none can become syntax.
package mermaid

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/modelverifier/verifier/internal/exporter/scene"
	"github.com/modelverifier/verifier/internal/quantity"
)

// untagged takes out of a title what a renderer could take for HTML.
var untagged = strings.NewReplacer("<", "(", ">", ")", "&", "+")

// maxEdges is how many connections Mermaid draws unless it is told otherwise.
const maxEdges = 500

// writer is the text as it grows. Boxes and groups are numbered as they come.
type writer struct {
	strings.Builder
	boxes, groups, edges int
	name                 map[*scene.Item]string
}

// Chart writes a scene as a flow chart.
func Chart(s *scene.Scene) (string, error) {
	w := &writer{name: map[*scene.Item]string{}}
	name := s.Name
	if strings.TrimSpace(name) == "" {
		name = "Model"
	}
	fmt.Fprintf(w, "---\ntitle: %s\n---\nflowchart TD\n", strconv.QuoteToASCII(untagged.Replace(name)+" - "+s.AtLeast()+quantity.Short(s.Params)+" parameters"))
	w.items(s.Root, "    ")
	for _, l := range w.lines(s.Root) {
		if w.edges++; w.edges > maxEdges {
			return "", fmt.Errorf("the chart would have more than %d connections, which Mermaid does not draw", maxEdges)
		}
		w.WriteString(l)
	}
	w.WriteString("    classDef virtual fill:#ddf4ff,stroke:#54aeff,color:#1f2328\n    classDef refused fill:#ffebe9,stroke:#cf222e,color:#1f2328\n")
	return w.String(), nil
}

// items writes the boxes and groups inside an item.
func (w *writer) items(it *scene.Item, indent string) {
	for _, k := range it.Items {
		if k.IsGroup() {
			w.name[k] = "g" + strconv.Itoa(w.groups)
			w.groups++
			fmt.Fprintf(w, "%ssubgraph %s[\"%s\"]\n", indent, w.name[k], escape(title(k)+" "))
			w.items(k, indent+"    ")
			w.WriteString(indent + "end\n")
			continue
		}
		w.name[k] = "n" + strconv.Itoa(w.boxes)
		w.boxes++
		fmt.Fprintf(w, "%s%s[\"%s\"]%s\n", indent, w.name[k], label(k), class(k))
	}
}

func title(it *scene.Item) string {
	text := it.Title
	if it.Times > 1 {
		text += " × " + strconv.Itoa(it.Times)
	}
	if it.Params > 0 {
		text += " · " + it.Weights()
	}
	if it.Times > 1 && it.Params > 0 {
		text += " each"
	}
	return strings.TrimSpace(text)
}

// label writes the rows of a box.
func label(it *scene.Item) string {
	if it.Like != "" {
		return escape(title(it)) + "<br/>" + escape("like "+it.Like)
	}
	var lines []string
	for _, r := range it.Rows {
		text := escape(r.Name) + " : " + escape(r.Type)
		if r.Name == "" || strings.EqualFold(r.Name, r.Type) {
			text = escape(r.Type)
		}
		if r.Detail != "" {
			text += " " + escape(r.Detail)
		}
		if r.Params > 0 {
			text += " : " + quantity.Short(r.Params)
		}
		lines = append(lines, text)
	}
	if it.Times > 1 {
		lines = append(lines, escape("× "+strconv.Itoa(it.Times)))
	}
	return strings.Join(lines, "<br/>")
}

func class(it *scene.Item) string {
	out := ""
	for _, r := range it.Rows {
		switch {
		case r.Refused:
			return ":::refused"
		case r.Virtual && len(it.Rows) == 1:
			out = ":::virtual"
		}
	}
	return out
}

// lines returns the connections between boxes: a path through borders becomes one line from box to box.
func (w *writer) lines(it *scene.Item) []string {
	var out []string
	for i, k := range it.Items {
		for _, e := range it.Edges {
			if e.To.Item != i {
				continue
			}
			for _, to := range targets(k, e.To.Port) {
				for _, from := range w.sources(it, e.From) {
					out = append(out, fmt.Sprintf("    %s --%s--> %s\n", w.name[from], edgeLabel(e.Shape), w.name[to]))
				}
			}
		}
		if k.IsGroup() {
			out = append(out, w.lines(k)...)
		}
	}
	return out
}

func edgeLabel(shape string) string {
	if shape == "" {
		return ""
	}
	return " \"" + escape(shape) + "\" "
}

// targets are the boxes that read what enters an item at a port.
func targets(it *scene.Item, port int) []*scene.Item {
	if !it.IsGroup() {
		return []*scene.Item{it}
	}
	var out []*scene.Item
	for _, e := range it.Edges {
		if e.From == (scene.End{Item: scene.Border, Port: port}) && e.To.Item != scene.Border {
			out = append(out, targets(it.Items[e.To.Item], e.To.Port)...)
		}
	}
	return out
}

// sources are the boxes behind the beginning of an edge; none for what enters from outside, which its own group has written.
func (w *writer) sources(it *scene.Item, from scene.End) []*scene.Item {
	if from.Item == scene.Border {
		return nil
	}
	k := it.Items[from.Item]
	if !k.IsGroup() {
		return []*scene.Item{k}
	}
	var out []*scene.Item
	for _, e := range k.Edges {
		if e.To == (scene.End{Item: scene.Border, Port: from.Port}) {
			out = append(out, w.sources(k, e.From)...)
		}
	}
	return out
}

// escape writes text for a label in quotes: letters, digits and a few signs stand for themselves, all else by its number.
func escape(s string) string {
	var b strings.Builder
	for _, r := range s {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune(" .,_-+", r) {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, "#%d;", r)
		}
	}
	return b.String()
}
