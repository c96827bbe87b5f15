package adversary

import (
	"fmt"
	"strings"
)

// trials are models beside which four of each mistake stand that walking the graph again repairs: a leading 1, a flatten that is missing, and a
// table of another width than all that reads it.
func trials() []Request {
	var out []Request
	for name, layer := range map[string]func(i int) string{
		"repairs beside latents": func(i int) string {
			return fmt.Sprintf(`"perceiverResampler","params":{"embedDim":8,"numHeads":2,"numLatents":4,"depth":%d}`, 64-i%9)
		},
		"repairs beside experts": func(i int) string {
			return fmt.Sprintf(`"sharedExpertMoE","params":{"embedDim":8,"numExperts":%d,"topK":1,"expertDim":4}`, 4096-i%9)
		},
	} {
		body := `{"model":` + mistaken(row(`{"shape":[8,8]}`, 1960, layer)) + `}`
		out = append(out, Request{Name: name, Action: "check", Body: body}, Request{Name: name, Action: "plan", Body: body})
	}
	return out
}

// mistaken puts the mistakes into a model that row has written.
func mistaken(model string) string {
	var nodes, wires strings.Builder
	for k := range 4 {
		fmt.Fprintf(&nodes, `{"id":"i%d","type":"input","params":{"shape":[1,8,8]}},{"id":"l%[1]d","type":"linear","params":{"inFeatures":64,"outFeatures":4}},`+
			`{"id":"t%[1]d","type":"input","params":{"shape":[8],"dtype":"int64"}},{"id":"e%[1]d","type":"embedding","params":{"vocabSize":10,"embedDim":65}},`+
			`{"id":"f%[1]d","type":"linear","params":{"inFeatures":64,"outFeatures":64}},{"id":"h%[1]d","type":"linear","params":{"inFeatures":64,"outFeatures":64}},`, k)
		fmt.Fprintf(&wires, `{"from":"i%d","to":"l%[1]d"},{"from":"t%[1]d","to":"e%[1]d"},{"from":"e%[1]d","to":"f%[1]d"},{"from":"f%[1]d","to":"h%[1]d"},`, k)
	}
	model = strings.Replace(model, `"components":[`, `"components":[`+nodes.String(), 1)
	return strings.Replace(model, `"connections":[`, `"connections":[`+wires.String(), 1)
}
