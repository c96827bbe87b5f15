package report

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/action/check"
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/fit/data"
	"github.com/modelverifier/verifier/internal/fit/layout"
	"github.com/modelverifier/verifier/internal/fit/serve"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/hardware"
	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/internal/rules"
)

// passing are the tests of a run that ran and found nothing, as a record lists them.
func passing(r *Run) (out []string) {
	for _, rule := range r.Rules {
		if rule.Withheld == "" && !slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Test() == rule.Checker+"/"+rule.ID }) {
			out = append(out, rule.Checker+"/"+rule.ID)
		}
	}
	return out
}

// open are the details of what a run says it did not judge.
func open(r *Run) (out []string) {
	for _, f := range r.Findings {
		if f.Rule == NotJudged {
			out = append(out, f.Test()+": "+f.Detail)
		}
	}
	return out
}

func walked(t testing.TB, notation string) *infer.Result {
	t.Helper()
	g, err := graph.Parse(notation)
	if err != nil {
		t.Fatal(err)
	}
	g.Normalize(catalog.Vocabulary)
	return infer.Walk(g)
}

func checked(t testing.TB, notation string, d *data.Request) *Run {
	t.Helper()
	g, err := graph.Parse(notation)
	if err != nil {
		t.Fatal(err)
	}
	return OfCheck(check.Run(&check.Request{Model: g, Data: d}), nil)
}

const (
	plainNet  = "x: input shape=[8]\nf: linear outFeatures=8\nr: relu\nd: dropout p=0.1\no: output\nx -> f -> r -> d -> o"
	hiddenNet = "x: input shape=[8]\nm: customModule\nd: dropout p=0.1\no: output\nx -> m -> d -> o"
	opaqueNet = "x: input shape=[8]\nm: customModule outShape=[8]\nd: dropout p=0.1\no: output\nx -> m -> d -> o"
)

func TestARuleThatCouldNotLookAtEverythingHasNotPassed(t *testing.T) {
	whole := checked(t, plainNet, nil)
	if !slices.Contains(passing(whole), "check/high-dropout") || !slices.Contains(passing(whole), "check/no-single-gpu") || len(open(whole)) > 0 {
		t.Fatalf("a model that is known in full has %v open and passes %v", open(whole), passing(whole))
	}
	for _, net := range []string{hiddenNet, opaqueNet} {
		run := checked(t, net, nil)
		for _, test := range []string{"check/high-dropout", "check/channel-mismatch", "check/no-single-gpu", "check/not-judged"} {
			if slices.Contains(passing(run), test) {
				t.Errorf("%s has passed on\n%s", test, net)
			}
		}
		if !slices.Contains(passing(run), "check/cycle") {
			t.Errorf("check/cycle, which looks at connections alone, has not passed on\n%s", net)
		}
		if o := open(run); len(o) != 1 || !strings.Contains(o[0], "m") {
			t.Errorf("open: %v", o)
		}
	}
}

func TestALayoutPassesNoTestOfACardThatWasNotNamed(t *testing.T) {
	res := walked(t, plainNet)
	r := layout.Default()
	without := OfLayout(layout.Check(res, r), res)
	if slices.Contains(passing(without), "layout/layout-memory") || len(open(without)) == 0 {
		t.Errorf("without a card: open %v, passing %v", open(without), passing(without))
	}
	r.TP = 2
	if split := OfLayout(layout.Check(res, r), res); slices.Contains(passing(split), "layout/layout-heads") {
		t.Error("heads that nobody knows divide among two ranks")
	}
}

func TestAServingEnginePassesWhatItLooksAt(t *testing.T) {
	res := walked(t, plainNet)
	run := func(command, card string) *Run {
		return OfServe(serve.Check(res, &serve.Request{Command: command, GPU: hardware.Lookup(card)}), res)
	}
	if got := passing(run("start-my-server --model m", "")); slices.ContainsFunc(got, func(s string) bool { return !strings.HasPrefix(s, "serve/command-") }) {
		t.Errorf("an unknown engine passes %v", got)
	}
	got := passing(run("vllm serve m", ""))
	for _, test := range []string{"serve/mem-weights", "serve/bf16-sm80", "serve/tgi-input-total", "serve/tp-heads", "serve/arch-unsupported", "serve/not-judged"} {
		if slices.Contains(got, test) {
			t.Errorf("without card and config.json %s has passed", test)
		}
	}
	if !slices.Contains(got, "serve/flag-unknown") {
		t.Error("flags were read, and flag-unknown has not passed")
	}
	if got := passing(run("vllm serve m --max-model-len $LEN", "H100")); slices.Contains(got, "serve/flag-value") {
		t.Error("a variable that is not known has passed as a value")
	}
}

// TestTakingAnInputAwayPassesNothingMore: whatever is taken from a request, no test passes that did not pass with it, and what is
// withheld is said.
func TestTakingAnInputAwayPassesNothingMore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SampledFrom([]string{"0.1", "0.9"}).Draw(t, "p")
		width := rapid.SampledFrom([]string{"8", "9"}).Draw(t, "width")
		middle := rapid.SampledFrom([]string{"f: linear outFeatures=8", "f: linear inFeatures=" + width + " outFeatures=8", "f: layerNorm", "f: customModule outShape=[8]"}).Draw(t, "middle")
		with := "x: input shape=[8]\n" + middle + "\nd: dropout p=" + p + "\no: output\nx -> f -> d -> o"
		for name, without := range map[string]string{
			"the input's shape": strings.Replace(with, " shape=[8]", "", 1),
			"what f is":         strings.Replace(with, middle, "f: customModule", 1),
		} {
			before, after := checkedIn(t, with), checkedIn(t, without)
			for _, test := range passing(after) {
				// What is not there any more cannot fire; what lacks a shape must not pass in its place.
				if !slices.Contains(passing(before), test) && !rules.Lookup(strings.TrimPrefix(test, "check/")).Written {
					t.Fatalf("without %s %s passes, which does not pass with it:\n%s", name, test, with)
				}
			}
			if len(passing(after)) < len(passing(before)) && len(open(after)) == 0 && !slices.ContainsFunc(after.Findings, func(f Finding) bool { return f.Severity == rules.Block }) {
				t.Fatalf("without %s fewer tests pass, and nothing says why", name)
			}
		}
	})
}

func checkedIn(t *rapid.T, notation string) *Run {
	g, err := graph.Parse(notation)
	if err != nil {
		t.Fatal(err)
	}
	return OfCheck(check.Run(&check.Request{Model: g}), nil)
}

// TestTakingACardAwayPassesNothingMore does the same for layouts and launch commands.
func TestTakingACardAwayPassesNothingMore(t *testing.T) {
	res := walked(t, plainNet)
	rapid.Check(t, func(t *rapid.T) {
		r := layout.Default()
		r.TP, r.PP, r.DP = rapid.Int64Range(1, 4).Draw(t, "tp"), rapid.Int64Range(1, 4).Draw(t, "pp"), rapid.Int64Range(1, 4).Draw(t, "dp")
		r.Framework = rapid.SampledFrom(layout.Frameworks).Draw(t, "framework")
		card := hardware.Lookup(rapid.SampledFrom([]string{"T4", "H100"}).Draw(t, "card"))
		command := rapid.SampledFrom([]string{"vllm serve m --dtype bfloat16", "vllm serve m --tensor-parallel-size 2 --kv-cache-dtype fp8", "python -m sglang.launch_server --model-path m",
			"trtllm-serve m", "text-generation-launcher --model-id m --dtype bfloat16", "llama-server -m m.gguf", "trtllm-serve m --tp_size 3"}).Draw(t, "command")
		without := passing(OfLayout(layout.Check(res, r), res))
		r.GPU = card
		with := passing(OfLayout(layout.Check(res, r), res))
		without = append(without, passing(OfServe(serve.Check(res, &serve.Request{Command: command}), res))...)
		with = append(with, passing(OfServe(serve.Check(res, &serve.Request{Command: command, GPU: card}), res))...)
		for _, test := range without {
			if !slices.Contains(with, test) {
				t.Fatalf("%s passes without a card and not with %s", test, card.Name)
			}
		}
	})
}

func TestADatasetPassesWhatWasCompared(t *testing.T) {
	image := "x: input shape=[3,32,32]\nm: customModule\nc: conv2d outChannels=4 kernelSize=40\no: output\nx -> m -> c -> o"
	run := checked(t, image, &data.Request{ImageHeight: 16, ImageWidth: 16, Channels: 3})
	if got := passing(run); slices.Contains(got, "data/data-image-size") || slices.Contains(got, "data/data-columns") || !slices.Contains(got, "data/data-channels") {
		t.Errorf("passing: %v", got)
	}
	if o := open(run); len(o) != 2 {
		t.Errorf("open: %v", o)
	}
}

func TestEveryStageKeyNamesItsStage(t *testing.T) {
	for _, k := range action.Keys() {
		if k.Stage != "train" && k.Stage != "deploy" && k.Stage != action.Preflight {
			t.Errorf("%s is of stage %q", k.ID, k.Stage)
		}
	}
}
