package load

import "github.com/modelverifier/verifier/internal/infer"

// Incomplete says why a model was not read whole, "" where it was: a source that was not followed to its end, a part whose weights are not
// known, or the shape of an input that has to be asked for. A graph that such a reading gave says it itself.
func (m *Model) Incomplete() string {
	if m.Partly != "" || m.Graph == nil {
		return m.Partly
	}
	for i := range m.Graph.Components {
		c := &m.Graph.Components[i]
		name := map[string]string{"customModule": "unread", infer.InputID: "asks"}[c.Type]
		if v, ok := c.Param(name); ok && name != "" && v.Str() != "" {
			return c.ID + ": " + v.Str()
		}
	}
	return ""
}
