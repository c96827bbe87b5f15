package graph

// Limits are what the caller allows. A zero field means no limit.
type Limits struct {
	Bytes, Components, Connections int
}

// The limits of the two kinds of caller: a request over the network, and a file of one's own.
var (
	ServiceLimits = Limits{Bytes: 8 << 20, Components: 2_000, Connections: 20_000}
	LocalLimits   = Limits{Bytes: 512 << 20, Components: 100_000, Connections: 1_000_000}
)

// Decode reads a graph. Paths in errors start with root, the name that the caller's document has for it.
func Decode(data []byte, root string, limits Limits) (*Graph, error) {
	if limits.Bytes > 0 && len(data) > limits.Bytes {
		e := errorf(CodeBytes, root, "%d bytes, at most %d are read", len(data), limits.Bytes)
		e.Limit = int64(limits.Bytes)
		return nil, e
	}
	d := &decoder{reader: newReader(data, root), limits: limits}
	g, err := d.graph()
	if err != nil {
		return nil, err
	}
	return g, d.end()
}

type decoder struct {
	*reader
	limits Limits
	params []Param // one backing array for all components; each keeps its own part
}

func (d *decoder) graph() (*Graph, error) {
	g, found := &Graph{}, false
	err := d.object(func(name string) (err error) {
		switch name {
		case "name":
			g.Name, err = d.optional()
		case "components":
			found = true
			g.Components, err = d.components()
		case "connections":
			g.Connections, err = d.connections()
		default:
			g.Extra, err = d.extra(g.Extra, name)
		}
		return err
	})
	if err == nil && !found {
		err = errorf(CodeMissing, d.root, "must be an object with a list named components")
	}
	return g, err
}

func (d *decoder) components() ([]Component, error) {
	var out []Component
	err := d.array(func(i int) error {
		if d.limits.Components > 0 && i >= d.limits.Components {
			return d.tooMany(CodeComponents, "components", d.limits.Components)
		}
		c, err := d.component()
		out = append(out, c)
		return err
	})
	return out, err
}

func (d *decoder) tooMany(code, what string, limit int) error {
	e := errorf(code, d.root+"."+what, "more than %d %s", limit, what)
	e.Limit = int64(limit)
	return e
}

func (d *decoder) component() (c Component, err error) {
	err = d.object(func(name string) (err error) {
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
			c.Extra, err = d.extra(c.Extra, name)
		}
		return err
	})
	return c, err
}

func (d *decoder) parameters() ([]Param, error) {
	if d.dec.PeekKind() == 'n' {
		return nil, d.skip()
	}
	start := len(d.params)
	err := d.object(func(name string) error {
		v, err := d.value()
		d.params = append(d.params, Param{name, v})
		return err
	})
	return d.params[start:len(d.params):len(d.params)], err
}

func (d *decoder) connections() ([]Connection, error) {
	var out []Connection
	err := d.array(func(i int) error {
		if d.limits.Connections > 0 && i >= d.limits.Connections {
			return d.tooMany(CodeConnections, "connections", d.limits.Connections)
		}
		c, err := d.connection()
		out = append(out, c)
		return err
	})
	return out, err
}

// connection also takes source and target, the names that flow-chart editors use.
func (d *decoder) connection() (c Connection, err error) {
	err = d.object(func(name string) (err error) {
		switch name {
		case "from", "source":
			c.From, err = d.str()
		case "to", "target":
			c.To, err = d.str()
		case "inferred":
			if d.dec.PeekKind() == '"' {
				c.Inferred, err = d.str()
				break
			}
			c.Extra, err = d.extra(c.Extra, name)
		default:
			c.Extra, err = d.extra(c.Extra, name)
		}
		return err
	})
	return c, err
}

// optional reads a string or null.
func (d *decoder) optional() (string, error) {
	if d.dec.PeekKind() == 'n' {
		return "", d.skip()
	}
	return d.str()
}

func (d *decoder) extra(list []Member, name string) ([]Member, error) {
	raw, err := d.raw()
	return append(list, Member{name, raw}), err
}
