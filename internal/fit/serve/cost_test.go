//go:build unix

package serve

import (
	"fmt"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/adversary"
	"github.com/modelverifier/verifier/internal/hardware"
)

// TestHostileCommandsCostLittle holds the bar of one request for each command that once cost too much.
func TestHostileCommandsCostLittle(t *testing.T) {
	model := modelOf(t, "llama-3.1-8b")
	for _, e := range engines {
		e.flags() // each table is read once
	}
	for _, c := range adversary.Commands() {
		t.Run(c.Name, func(t *testing.T) {
			r := &Request{Command: c.Command, EngineVersion: c.Version, GPU: hardware.Lookup("H100"), GPUs: c.GPUs}
			var got *Result
			cost := adversary.Measure(t, func() { got = Check(model, r) })
			if !cost.Within(adversary.Bar) || len(got.Findings) > 300 {
				t.Errorf("%d bytes take %.3f s and %d MB, and %d things are found", len(c.Command), cost.Seconds, cost.Bytes>>20, len(got.Findings))
			}
			t.Logf("%.3f s, %d MB, %d findings", cost.Seconds, cost.Bytes>>20, len(got.Findings))
		})
	}
}

// TestPlacesOfManyWordsCostLittle holds what marks a command with a flag in every other word.
func TestPlacesOfManyWordsCostLittle(t *testing.T) {
	r := Check(modelOf(t, "llama-3.1-8b"), &Request{Command: "vllm serve m" + strings.Repeat(" --x 1", 9_900)})
	most := 0
	cost := adversary.Measure(t, func() {
		for i := range r.Findings {
			most = max(most, len(r.Places(&r.Findings[i])))
		}
	})
	if !cost.Within(adversary.Bar) || most == 0 || most > 2*mostPlaces {
		t.Errorf("%d places take %.3f s and %d MB", most, cost.Seconds, cost.Bytes>>20)
	}
}

// TestManyNamesOfAnAdapterCostLittle holds what many names for one adapter cost.
func TestManyNamesOfAnAdapterCostLittle(t *testing.T) {
	var names strings.Builder
	for i := range 19_000 {
		fmt.Fprintf(&names, " a%d=x", i)
	}
	const file = "x/adapter_config.json"
	r := &Request{Command: "vllm serve m --enable-lora --lora-modules" + names.String(), Files: []File{{file, `{"r":64,"x":[` + strings.Repeat("1,", 500_000) + "1]}"}}}
	var got *Result
	cost := adversary.Measure(t, func() { got = Check(modelOf(t, "llama-3.1-8b"), r) })
	if !cost.Within(adversary.Bar) || !strings.Contains(found(got), "lora-rank-adapter!") {
		t.Errorf("%.3f s and %d MB, and found is %s", cost.Seconds, cost.Bytes>>20, found(got))
	}
}

// TestFilesOfManyDefaultsCostLittle holds what a file costs whose flags a long command overrides.
func TestFilesOfManyDefaultsCostLittle(t *testing.T) {
	text := "enable-lora: true\n"
	for i := range 4900 {
		text += fmt.Sprintf("x%d: 1\n", i)
	}
	r := &Request{Command: "vllm serve m --config d.yaml" + strings.Repeat(" --enable-lora", 19_000), Files: []File{{"d.yaml", text}}}
	var got *Result
	cost := adversary.Measure(t, func() { got = Check(modelOf(t, "llama-3.1-8b"), r) })
	if !cost.Within(adversary.Bar) || !strings.Contains(found(got), "flag-unknown!") {
		t.Errorf("%.3f s and %d MB, and found is %s", cost.Seconds, cost.Bytes>>20, found(got))
	}
}

// TestMistakesInYAMLCostLittle holds a list on one line that does not end: the parser's error, with what it quotes, took half a second.
func TestMistakesInYAMLCostLittle(t *testing.T) {
	var err error
	cost := adversary.Measure(t, func() { _, err = readYAML("services: [" + strings.Repeat("a,", 29_000) + "}") })
	if !cost.Within(adversary.Bar) || err == nil || err.Error() != "it is no YAML: [1:11] sequence end token ']' not found" {
		t.Errorf("%.3f s and %d MB, and the error is %v", cost.Seconds, cost.Bytes>>20, err)
	}
}
