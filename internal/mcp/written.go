package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/graph"
)

// notation is the new text of a file in the notation, with only the lines changed that must be.
func notation(m *model, g *graph.Graph) ([]byte, error) {
	if text, ok := graph.PatchText(string(m.data), g); ok {
		return []byte(text), nil
	}
	if hasComments(string(m.data)) {
		return nil, refuse(codeForm, action.Model, m.path+" has comments, which this change would lose: it moves connections between lines",
			"Change the text yourself, or export it to graph, write that to a .json file and edit it there.")
	}
	return []byte(g.Text()), nil
}

// written is the file's new text: where it can be, the old one with only what changed in it; else in the form that it had, the notation, one line, every value on a line of its own as programs indent
// it, or else one component and one connection on a line, which a person can compare.
func written(m *model, g *graph.Graph) ([]byte, error) {
	if !isObject(m.data) {
		return notation(m, g)
	}
	if text, ok := graph.PatchJSON(m.data, g); ok {
		return text, nil
	}
	text, old := g.AppendJSON(nil), bytes.TrimSpace(m.data)
	if !bytes.Contains(old, []byte("\n")) {
		return append(text, '\n'), nil
	}
	indent := indentOf(old)
	var same, b bytes.Buffer
	if err := json.Indent(&same, old, "", indent); err != nil {
		return nil, fmt.Errorf("mcp: indent: %w", err)
	}
	if bytes.Equal(same.Bytes(), old) {
		if err := json.Indent(&b, text, "", indent); err != nil {
			return nil, fmt.Errorf("mcp: indent: %w", err)
		}
	} else if err := itemsOnLines(&b, text, indent); err != nil {
		return nil, err
	}
	b.WriteByte('\n')
	return b.Bytes(), nil
}

// itemsOnLines writes an object with one member on a line, and of its components and connections one item.
func itemsOnLines(b *bytes.Buffer, text []byte, indent string) error {
	d := json.NewDecoder(bytes.NewReader(text))
	if _, err := d.Token(); err != nil {
		return fmt.Errorf("mcp: lines: %w", err)
	}
	b.WriteString("{")
	for first := true; d.More(); first = false {
		name, err := d.Token()
		if err != nil {
			return fmt.Errorf("mcp: lines: %w", err)
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return fmt.Errorf("mcp: lines: %w", err)
		}
		if !first {
			b.WriteString(",")
		}
		quoted, err := encode(name)
		if err != nil {
			return err
		}
		fmt.Fprintf(b, "\n%s%s: ", indent, quoted)
		var items []json.RawMessage
		if (name != "components" && name != "connections") || json.Unmarshal(value, &items) != nil || len(items) == 0 {
			b.Write(value)
			continue
		}
		for i, item := range items {
			open := ","
			if i == 0 {
				open = "["
			}
			fmt.Fprintf(b, "%s\n%s%s%s", open, indent, indent, item)
		}
		fmt.Fprintf(b, "\n%s]", indent)
	}
	b.WriteString("\n}")
	return nil
}

// indentOf is the blank space that begins the first member.
func indentOf(data []byte) string {
	_, rest, _ := bytes.Cut(data, []byte("\n"))
	n := 0
	for n < len(rest) && n < 8 && (rest[n] == ' ' || rest[n] == '\t') {
		n++
	}
	if n == 0 {
		return "  "
	}
	return string(rest[:n])
}
