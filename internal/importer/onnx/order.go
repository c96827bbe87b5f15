package onnx

// sorted returns nodes in an order in which every input is produced before it is read. Files are sorted by rule; one that is
// not is sorted here, and one with a cycle is refused.
func sorted(nodes []*protoNode, s *scope) ([]*protoNode, error) {
	producer := map[string]int{}
	for i, p := range nodes {
		for _, name := range p.out {
			if name != "" {
				producer[name] = i
			}
		}
	}
	const (
		unseen = iota
		open
		done
	)
	state := make([]uint8, len(nodes))
	out := make([]*protoNode, 0, len(nodes))
	type frame struct{ node, next int }
	var stack []frame
	for root := range nodes {
		if state[root] != unseen {
			continue
		}
		stack = append(stack[:0], frame{root, 0})
		state[root] = open
		for len(stack) > 0 {
			top := &stack[len(stack)-1]
			reads := nodes[top.node].in
			if top.next == len(reads) {
				state[top.node] = done
				out = append(out, nodes[top.node])
				stack = stack[:len(stack)-1]
				continue
			}
			name := reads[top.next]
			top.next++
			i, ok := producer[name]
			if !ok || name == "" || s.values[name] != nil || state[i] == done {
				continue
			}
			if state[i] == open {
				return nil, malformed("node "+nodes[i].name+" ("+nodes[i].op+")", "it depends on its own result %q: the graph has a cycle", name)
			}
			state[i] = open
			stack = append(stack, frame{i, 0})
		}
	}
	return out, nil
}
