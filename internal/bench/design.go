package bench

import (
	"encoding/json"
	"strconv"

	"github.com/modelverifier/verifier/internal/graph"
)

// design is a graph that a family builds, component by component.
type design struct {
	graph.Graph
	count map[string]int // of ids that were made from a stem
}

// arg is one parameter.
type arg struct {
	name  string
	value any
}

// newDesign begins with an input.
func newDesign(name string, shape ...int64) *design {
	d := &design{count: map[string]int{}}
	d.Name = name
	d.put("x", "input", nil, arg{"shape", shape})
	return d
}

// put adds a component under an id, fed by others in that order, and returns the id.
func (d *design) put(id, typ string, from []string, args ...arg) string {
	c := graph.Component{ID: id, Type: typ}
	for _, a := range args {
		c.Params = append(c.Params, graph.Param{Name: a.name, Value: valueOf(a.value)})
	}
	d.Components = append(d.Components, c)
	for _, f := range from {
		d.Connections = append(d.Connections, graph.Connection{From: f, To: id})
	}
	return id
}

// add adds a component behind another, with an id of its own: conv1, conv2 and so on.
func (d *design) add(stem, typ, from string, args ...arg) string {
	d.count[stem]++
	return d.put(stem+strconv.Itoa(d.count[stem]), typ, []string{from}, args...)
}

// merge adds a component that reads several.
func (d *design) merge(stem, typ string, from []string, args ...arg) string {
	d.count[stem]++
	return d.put(stem+strconv.Itoa(d.count[stem]), typ, from, args...)
}

// end adds the output.
func (d *design) end(from string) *design {
	d.put("y", "output", []string{from})
	return d
}

// at returns the component with an id.
func (d *design) at(id string) *graph.Component {
	for i := range d.Components {
		if d.Components[i].ID == id {
			return &d.Components[i]
		}
	}
	return nil
}

// copied returns a design that can be changed without touching this one.
func (d *design) copied() *design {
	out := &design{Graph: *d.Clone(), count: map[string]int{}}
	for stem, n := range d.count {
		out.count[stem] = n
	}
	return out
}

func (d *design) json() json.RawMessage { return d.AppendJSON(nil) }

// valueOf turns what families write into a value of the graph. Nothing else is written.
func valueOf(v any) graph.Value {
	switch v := v.(type) {
	case int:
		return graph.IntValue(int64(v))
	case int64:
		return graph.IntValue(v)
	case float64:
		return graph.FloatValue(v)
	case bool:
		return graph.BoolValue(v)
	case string:
		return graph.StringValue(v)
	case []int64:
		return graph.IntsValue(v...)
	case graph.Value:
		return v
	}
	return graph.Value{}
}
