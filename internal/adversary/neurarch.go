package adversary

import "fmt"

// neurarch are graphs of Neurarch's editor that leave out sizes: reading one goes through the graph again for each that it finds.
func neurarch() []Request {
	const norm = `"type":"layerNorm"`
	var out []Request
	for name, node := range map[string]func(i int) string{
		"norms without sizes": func(int) string { return norm },
		"norms without sizes behind a layer that does not run": func(i int) string {
			if i == 0 {
				return `"type":"linear","params":{"inFeatures":99,"outFeatures":8}`
			}
			return norm
		},
		"norms without sizes between experts": func(i int) string {
			switch {
			case i == 0:
				return `"type":"linear","params":{"inFeatures":99,"outFeatures":8}`
			case i%2 == 0:
				return `"type":"moeLayer","params":{"embedDim":8,"numExperts":4096,"topK":2,"expertDim":16}`
			}
			return norm
		},
	} {
		body := `{"model":` + editor(mostComponents-2, node) + `}`
		out = append(out, Request{Name: name, Action: "check", Body: body}, Request{Name: name, Action: "plan", Body: body})
	}
	return out
}

// editor writes so many components in a row as Neurarch's editor does.
func editor(n int, node func(i int) string) string {
	nodes := list(n, func(i int) string {
		return fmt.Sprintf(`{"id":"a%d",%s,"inputs":["in"],"outputs":["out"]}`, i, node(i))
	})
	wires := list(n-1, func(i int) string { return fmt.Sprintf(`{"from":"a%d","to":"a%d"}`, i, i+1) })
	return fmt.Sprintf(`{"components":[{"id":"x","type":"input","params":{"shape":[1,3,8,8]},"inputs":[],"outputs":["out"]},`+
		`{"id":"z","type":"output","inputs":["in"],"outputs":[]},%s,"connections":[{"from":"x","to":"a0"},{"from":"a%d","to":"z"},%s}`, nodes[1:], n-1, wires[1:])
}
