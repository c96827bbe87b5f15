package infer

import "github.com/modelverifier/verifier/internal/catalog"

// mostOrigins is how many places a person is shown beside the one that does not run.
const mostOrigins = 6

// Origins lists the components that set the sizes which arrive at one, the nearest first: of each input those that change the shape, as far as
// the first with weights; of a merge all up to where its branches part. What does not run is wrong, or one of them is.
func (r *Result) Origins(i int) []int {
	inputs := r.Wiring.Inputs(i)
	shared := r.parting(i)
	var out []int
	seen := map[int]bool{i: true}
	queue := make([]int, 0, len(inputs))
	for k := len(inputs) - 1; k >= 0; k-- { // the last is that which was made last
		queue = append(queue, int(inputs[k]))
	}
	for ; len(queue) > 0 && len(out) < mostOrigins; queue = queue[1:] {
		j := queue[0]
		if seen[j] || len(inputs) > 1 && shared[j] {
			continue
		}
		seen[j] = true
		n := &r.Nodes[j]
		virtual := n.Type == nil || n.Type.Has(catalog.IsVirtual)
		if !virtual && !n.Type.Has(catalog.KeepsShape) {
			out = append(out, j)
			if n.Params > 0 && len(inputs) <= 1 {
				continue
			}
		}
		for _, from := range r.Wiring.Inputs(j) {
			queue = append(queue, int(from))
		}
	}
	return out
}

// parting are the components that every input of a merge depends on.
func (r *Result) parting(i int) map[int]bool {
	count := map[int]int{}
	inputs := r.Wiring.Inputs(i)
	for _, from := range inputs {
		seen := map[int]bool{}
		for queue := []int{int(from)}; len(queue) > 0; queue = queue[1:] {
			if seen[queue[0]] {
				continue
			}
			seen[queue[0]] = true
			count[queue[0]]++
			for _, j := range r.Wiring.Inputs(queue[0]) {
				queue = append(queue, int(j))
			}
		}
	}
	out := map[int]bool{}
	for j, n := range count {
		out[j] = n == len(inputs)
	}
	return out
}
