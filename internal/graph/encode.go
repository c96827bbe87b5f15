package graph

import "github.com/go-json-experiment/json/jsontext"

// AppendJSON appends the graph as the JSON that Decode reads: named members first, then what was kept, in its order.
func (g *Graph) AppendJSON(b []byte) []byte {
	b = append(b, '{')
	if g.Name != "" {
		b = append(appendString(append(b, `"name":`...), g.Name), ',')
	}
	b = append(b, `"components":[`...)
	for i := range g.Components {
		if i > 0 {
			b = append(b, ',')
		}
		b = g.Components[i].appendJSON(b)
	}
	b = append(b, `],"connections":[`...)
	for i := range g.Connections {
		if i > 0 {
			b = append(b, ',')
		}
		b = g.Connections[i].appendJSON(b)
	}
	return append(appendExtra(append(b, ']'), g.Extra), '}')
}

// CompactJSON is the same without the blanks of what was kept.
func (g *Graph) CompactJSON() []byte { return compacted(g.AppendJSON(nil)) }

func (c *Component) appendJSON(b []byte) []byte {
	b = appendString(append(b, `{"id":`...), c.ID)
	b = appendString(append(b, `,"type":`...), c.Type)
	if c.Name != "" {
		b = appendString(append(b, `,"name":`...), c.Name)
	}
	b = append(b, `,"params":{`...)
	for i, p := range c.Params {
		if i > 0 {
			b = append(b, ',')
		}
		b = p.Value.AppendJSON(append(appendString(b, p.Name), ':'))
	}
	return append(appendExtra(append(b, '}'), c.Extra), '}')
}

func (c *Connection) appendJSON(b []byte) []byte {
	b = appendString(append(b, `{"from":`...), c.From)
	b = appendString(append(b, `,"to":`...), c.To)
	if c.Inferred != "" {
		b = appendString(append(b, `,"inferred":`...), c.Inferred)
	}
	return append(appendExtra(b, c.Extra), '}')
}

func appendExtra(b []byte, extra []Member) []byte {
	for _, m := range extra {
		b = append(append(appendString(append(b, ','), m.Name), ':'), m.Raw...)
	}
	return b
}

func appendString(b []byte, s string) []byte {
	out, _ := jsontext.AppendQuote(b, s) // fails only on invalid UTF-8, which the readers refuse, and has U+FFFD for it then
	return out
}
