package edit

import (
	"slices"
	"strconv"
	"strings"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/graph"
)

func (e *editor) rename(op *Op) error {
	i, err := e.find(op.Path+".component", op.Component)
	if err != nil {
		return err
	}
	e.g.Components[i].ID = e.normal.Components[i].ID // connections that went by its name now go by its id
	for k := range e.normal.Connections {
		c := &e.normal.Connections[k]
		if id := e.normal.Components[i].ID; c.From == id || c.To == id {
			e.g.Connections[k].From, e.g.Connections[k].To = c.From, c.To
		}
	}
	e.call(i, op.Name)
	return nil
}

// several finds the components of a change, in the order of the graph.
func (e *editor) several(op *Op) ([]int, error) {
	names := op.Components
	if op.Component != "" {
		names = append(slices.Clone(names), op.Component)
	}
	if len(names) == 0 {
		return nil, action.Errorf(graph.CodeMissing, op.Path+".components", "must be the ids of components")
	}
	if most := len(e.normal.Components); len(names) > most {
		return nil, &graph.Error{Code: action.CodeRange, Path: op.Path + ".components", Message: "names more components than the graph has", Limit: int64(most)}
	}
	out, err := e.findAll(names, func(k int) string { return action.Item(op.Path+".components", k) })
	if err != nil {
		return nil, err
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// duplicate copies components under new ids, with the connections between them and those that come in from others. Nothing reads the
// copies yet: whether anything should is for the next change to say.
func (e *editor) duplicate(op *Op) error {
	list, err := e.several(op)
	if err != nil {
		return err
	}
	taken := map[string]bool{}
	for i := range e.normal.Components {
		taken[e.normal.Components[i].ID] = true
	}
	e.stale = e.stale || e.unnamed()
	copies := map[string]string{}
	for _, i := range list {
		c := e.g.Components[i]
		if err := e.copies(op, &c); err != nil {
			return err
		}
		c.ID = fresh(e.normal.Components[i].ID, taken)
		c.Params, c.Extra = slices.Clone(c.Params), slices.Clone(c.Extra)
		copies[e.normal.Components[i].ID] = c.ID
		e.g.Components = append(e.g.Components, c)
		c.Type, c.Params = e.normal.Components[i].Type, nil
		e.normal.Components, e.places = append(e.normal.Components, c), nil
	}
	for k := range len(e.normal.Connections) {
		c := e.normal.Connections[k]
		to, ok := copies[c.To]
		if !ok {
			continue
		}
		from := c.From
		if also, ok := copies[from]; ok {
			from = also
		}
		edge := graph.Connection{From: from, To: to}
		e.g.Connections, e.normal.Connections = append(e.g.Connections, edge), append(e.normal.Connections, edge)
	}
	for _, i := range list {
		e.g.Components[i].ID = e.normal.Components[i].ID
	}
	for k := range e.normal.Connections {
		e.g.Connections[k].From, e.g.Connections[k].To = e.normal.Connections[k].From, e.normal.Connections[k].To
	}
	return nil
}

// fresh is an id that no component has: the first of fc_2, fc_3, … for fc, and of fc_3, … for fc_2.
func fresh(id string, taken map[string]bool) string {
	stem, n := id, int64(1)
	if at := strings.LastIndexByte(id, '_'); at > 0 {
		if number, err := strconv.ParseInt(id[at+1:], 10, 32); err == nil && number > 0 {
			stem, n = id[:at], number
		}
	}
	for {
		n++
		if next := stem + "_" + strconv.FormatInt(n, 10); !taken[next] {
			taken[next] = true
			return next
		}
	}
}

// group writes down which block components are shown in, or takes that away.
func (e *editor) group(op *Op) error {
	list, err := e.several(op)
	if err != nil {
		return err
	}
	for _, i := range list {
		e.g.Components[i].SetGroup(op.Name)
	}
	return nil
}
