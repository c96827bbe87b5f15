package onnx

// capture notes the values that a graph inside a node reads of those around it.
func (im *reading) capture(s *scope, g *protoGraph, n *node, seen map[*value]bool) error {
	for _, p := range g.nodes {
		if err := im.count(1 + len(p.in)/maxInputs); err != nil {
			return err
		}
		for _, name := range p.in {
			if v := s.find(name); v != nil && !seen[v] {
				n.outer, seen[v] = append(n.outer, v), true
			}
		}
		for _, a := range p.attrs {
			if a.g == nil {
				continue
			}
			if err := im.capture(s, a.g, n, seen); err != nil {
				return err
			}
		}
	}
	return nil
}
