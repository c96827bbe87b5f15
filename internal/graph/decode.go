package graph

import (
	"strings"

	"github.com/modelverifier/verifier/internal/arena"
)

// Limits are what the caller allows. A zero field means no limit.
type Limits struct {
	Bytes, Components, Connections int
	Params                         int // of all components of a graph
	Values                         int // items of all lists among the parameters
	Candidates                     int // of one request

	Comparisons int64 // of a run's patterns with the names of its model: see estimate.Adaptation

	AnyNumbers string // a member of a request whose numbers may be of any size: who reads it brings them into a range
}

// The limits of the two kinds of caller: a request over the network, and a file of one's own.
var (
	ServiceLimits = Limits{Bytes: 8 << 20, Components: 2_000, Connections: 20_000, Params: 100_000, Values: 200_000, Candidates: 20, Comparisons: 100_000_000}
	LocalLimits   = Limits{Bytes: 512 << 20, Components: 100_000, Connections: 1_000_000, Params: 5_000_000, Values: 10_000_000, Candidates: 1_000}
)

// Decode reads a graph. Paths in errors start with root, the name that the caller's document has for it. The graph shares
// the memory of one copy of the document and none with data.
func Decode(data []byte, root string, limits Limits) (*Graph, error) {
	text, err := limits.text(data, root)
	if err != nil {
		return nil, err
	}
	d := new(Room).decoder(text, limits)
	g, err := d.graph()
	if err == nil {
		err = d.end()
	}
	if err != nil {
		err.Path = strings.TrimPrefix(root+err.Path, ".")
		return nil, err
	}
	return g, nil
}

type decoder struct {
	reader
	given       int // parameters of the graph so far
	params      arena.Of[Param]
	extras      arena.Of[Member] // of components and connections
	components  arena.Of[Component]
	connections arena.Of[Connection]
}

// manyParams is what a graph has too many of.
const manyParams = "parameters of all components"

// mostOpen is how many open names and list items a room keeps the memory for.
const mostOpen = 1024

// Room is the memory that documents are decoded into, one after the other. The zero value is ready.
type Room struct{ d decoder }

// decoder begins a document, with room for what most need instead of growing into it.
func (r *Room) decoder(text string, limits Limits) *decoder {
	d := &r.d
	d.text, d.limits = text, limits
	if d.keys.names == nil {
		d.keys.names, d.stack = make([]span, 0, 32), make([]Value, 0, 8)
	}
	return d
}

// Clear takes back what was decoded, and leaves nothing of it.
func (r *Room) Clear() {
	d := &r.d
	d.params.Clear()
	d.extras.Clear()
	d.components.Clear()
	d.connections.Clear()
	d.values.Clear()
	names, stack := d.keys.names[:0], d.stack[:0]
	if cap(names)+cap(stack) > mostOpen {
		names, stack = nil, nil
	}
	clear(stack[:cap(stack)])
	d.reader = reader{values: d.values, stack: stack, keys: keys{names: names}}
}

func (d *decoder) graph() (*Graph, *Error) {
	g, found := &Graph{}, false
	d.given = 0
	err := d.object(func(name string) (err *Error) {
		switch name {
		case "name":
			g.Name, err = d.optional()
		case "components":
			found = true
			g.Components, err = d.componentList()
		case "connections":
			g.Connections, err = d.connectionList()
		default:
			raw, bad := d.raw()
			g.Extra, err = append(g.Extra, Member{name, raw}), bad
		}
		return err
	})
	if err == nil && !found {
		err = errorf(CodeMissing, "", "must be an object with a list named components")
	}
	return g, err
}

// guess is how many things of a usual size can still follow; a few may be a third of it. It only saves growing the list.
func (d *decoder) guess(usualBytes, most int) int {
	rest := len(d.text) - d.at
	n := max(rest/usualBytes, min(3*rest/usualBytes, 16))
	if most > 0 {
		n = min(n, most)
	}
	return n
}

func (d *decoder) componentList() ([]Component, *Error) {
	most := d.limits.Components
	d.components.Expect(d.guess(160, most))
	err := d.array(ceiling{most, CodeComponents, "components"}, func(i int) *Error {
		d.components.Push(Component{})
		return d.component(&d.components.Open()[i])
	})
	return d.components.Take(), err
}

func (d *decoder) component(c *Component) *Error {
	err := d.object(func(name string) (err *Error) {
		switch name {
		case "id":
			c.ID, err = d.optional()
		case "type":
			c.Type, err = d.optional()
		case "name":
			c.Name, err = d.optional()
		case "params":
			c.Params, err = d.parameters()
		default:
			err = d.extra(name)
		}
		return err
	})
	c.Extra = d.extras.Take()
	return err
}

func (d *decoder) parameters() ([]Param, *Error) {
	if d.space() == 'n' {
		return nil, d.word("null")
	}
	err := d.object(func(name string) *Error {
		if d.given++; over(d.given, d.limits.Params) {
			return ceiling{d.limits.Params, CodeValues, manyParams}.exceeded()
		}
		v, err := d.value()
		d.params.Push(Param{name, v})
		return err
	})
	return d.params.Take(), err
}

// connectionList may be null: a list that is left out.
func (d *decoder) connectionList() ([]Connection, *Error) {
	if d.space() == 'n' {
		return nil, d.word("null")
	}
	most := d.limits.Connections
	d.connections.Expect(d.guess(32, most))
	err := d.array(ceiling{most, CodeConnections, "connections"}, func(i int) *Error {
		d.connections.Push(Connection{})
		return d.connection(&d.connections.Open()[i])
	})
	return d.connections.Take(), err
}

// connection also takes source and target, the names that flow-chart editors use, where from and to are not given.
func (d *decoder) connection(c *Connection) *Error {
	var from, to, source, target bool
	err := d.object(func(name string) (err *Error) {
		switch {
		case name == "from":
			c.From, err = d.str()
			from = true
		case name == "to":
			c.To, err = d.str()
			to = true
		case name == "inferred" && d.space() == '"':
			c.Inferred, err = d.str()
		default:
			source, target = source || name == "source", target || name == "target"
			err = d.extra(name)
		}
		return err
	})
	c.Extra = d.extras.Take()
	if err == nil && source && !from {
		c.From, err = c.endpoint("source")
	}
	if err == nil && target && !to {
		c.To, err = c.endpoint("target")
	}
	return err
}

// endpoint takes a member out of those kept and returns the string that it holds.
func (c *Connection) endpoint(name string) (string, *Error) {
	for i, m := range c.Extra {
		if m.Name == name {
			c.Extra = append(c.Extra[:i:i], c.Extra[i+1:]...)
			s, err := newReader(m.Raw, Limits{}).str()
			if err != nil {
				err = err.under(name)
			}
			return s, err
		}
	}
	return "", nil
}

// optional reads a string or null.
func (d *decoder) optional() (string, *Error) {
	if d.space() == 'n' {
		return "", d.word("null")
	}
	return d.str()
}

func (d *decoder) extra(name string) *Error {
	raw, err := d.raw()
	d.extras.Push(Member{name, raw})
	return err
}
