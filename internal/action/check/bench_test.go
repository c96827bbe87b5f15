package check

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/graph"
)

// deep writes a network of n components as an editor exports it.
func deep(n int) []byte {
	var components, connections []string
	add := func(typ, params string) {
		i := len(components)
		components = append(components, fmt.Sprintf(`{"id":"%s_%d","type":%q,"name":"%s %d","params":{%s},"position":{"x":%d,"y":120}}`, typ, i, typ, typ, i, params, 80*i))
		if i > 0 {
			from, _, _ := strings.Cut(components[i-1][7:], `"`)
			connections = append(connections, fmt.Sprintf(`{"from":%q,"to":"%s_%d"}`, from, typ, i))
		}
	}
	add("input", `"shape":[64,16,16]`)
	for len(components) < n-4 {
		add("conv2d", `"inChannels":64,"outChannels":64,"kernelSize":3,"padding":1,"bias":false`)
		add("batchNorm", `"numFeatures":64`)
		add("relu", "")
	}
	add("globalAvgPool2d", "")
	add("linear", `"inFeatures":64,"outFeatures":10`)
	add("output", "")
	return []byte(`{"model":{"components":[` + strings.Join(components, ",") + `],"connections":[` + strings.Join(connections, ",") + `]}}`)
}

// BenchmarkCheck goes from JSON to JSON.
func BenchmarkCheck(b *testing.B) {
	for _, n := range []int{10, 200, 2000} {
		body := deep(n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				r, err := Decode(body, graph.ServiceLimits)
				if err != nil {
					b.Fatal(err)
				}
				res := Run(r)
				if res.StoppedAt != nil {
					b.Fatal(res.Summary)
				}
				if _, err := json.Marshal(res); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
