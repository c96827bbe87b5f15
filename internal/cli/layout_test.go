package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/action/check"
	"github.com/modelverifier/verifier/internal/graph"
)

// TestLayoutIsTheSectionOfCheck holds what --json prints to what check says, byte for byte, and the exit codes to the verdict.
func TestLayoutIsTheSectionOfCheck(t *testing.T) {
	model, err := os.ReadFile("../fit/layout/testdata/models/mixtral-8x7b.json")
	if err != nil {
		t.Fatal(err)
	}
	path := t.TempDir() + "/config.json"
	if err := os.WriteFile(path, model, 0o644); err != nil {
		t.Fatal(err)
	}
	var graphJSON, stderr bytes.Buffer
	if Main([]string{"import", path}, strings.NewReader(""), &graphJSON, &stderr) != exitClean {
		t.Fatal(stderr.String())
	}
	for _, c := range []struct {
		flags, section string
		exit           int
	}{
		{"", `{}`, exitClean},
		{"--tp 2 --pp 4 --dp 8 --ep 8 --global-batch 256 --gpu h100", `{"tp":2,"pp":4,"dp":8,"ep":8,"global_batch":256,"gpu":"H100"}`, exitClean},
		{"--tp 8 --ep 8", `{"tp":8,"ep":8}`, exitGated},
		{"--tp 8 --ep 8 --etp 1", `{"tp":8,"ep":8,"etp":1}`, exitClean},
		{"--tp 0", `{"tp":0}`, exitGated},
		{"--pp -1 --micro-batch 0", `{"pp":-1,"micro_batch":0}`, exitGated},
		{"--dp 1125899906842624", `{"dp":1125899906842624}`, exitGated},
		{"--cp 2 --seq-len 4096 --zero 1 --recompute full --sequence-parallel=false", `{"cp":2,"seq_len":4096,"zero":1,"recompute":"full","sequence_parallel":false}`, exitClean},
		{"--pp 8 --vpp 2 --global-batch 8 --framework torchtitan", `{"pp":8,"vpp":2,"global_batch":8,"framework":"torchtitan"}`, exitClean},
		{"--pp 3 --first-stage-layers 10 --last-stage-layers 10 --global-batch 3", `{"pp":3,"first_stage_layers":10,"last_stage_layers":10,"global_batch":3}`, exitClean},
		{"--pp 4 --fail-on warn", `{"pp":4}`, exitGated}, // it waits for three quarters of a step
	} {
		var stdout, stderr, want bytes.Buffer
		exit := Main(append([]string{"layout", path, "--json"}, strings.Fields(c.flags)...), strings.NewReader(""), &stdout, &stderr)
		q, err := check.Decode([]byte(`{"model":`+graphJSON.String()+`,"layout":`+c.section+`}`), graph.LocalLimits)
		if err != nil {
			t.Fatal(err)
		}
		e := json.NewEncoder(&want)
		e.SetEscapeHTML(false)
		if err := e.Encode(check.Run(q).Layout); err != nil {
			t.Fatal(err)
		}
		if exit != c.exit || stdout.String() != want.String() {
			t.Errorf("%s: exit %d, want %d: %s\n got %s\nwant %s", c.flags, exit, c.exit, &stderr, &stdout, &want)
		}
	}
}

// TestWhatCannotBeAskedExitsWith2 has no section for what is not known or cannot be read.
func TestWhatCannotBeAskedExitsWith2(t *testing.T) {
	const model = "../../models/gpt2-small.graph"
	for args, says := range map[string]string{
		"layout nowhere.json --tp 2":                                        "no such file",
		"layout " + model + " --gpu h1000":                                  "must be one of T4",
		"layout " + model + " --framework jax":                              "takes megatron, torchtitan, deepspeed",
		"layout " + model + " --recompute some":                             "takes none, selective, full",
		"layout " + model + " --tp two":                                     "invalid argument",
		"layout " + model + " --tp 99999999999999999999":                    "invalid argument",
		"layout " + model + " --suggest --gpus 8":                           "--suggest needs --gpu",
		"layout " + model + " --suggest --gpus 0 --gpu h100":                "--suggest needs --gpu",
		"layout " + model + " --suggest --gpus 65537 --gpu t4":              "at most 65536",
		"layout " + model + " --suggest --gpus 8 --gpu t4 --global-batch 0": "must be at least 1",
		"check " + model + " --data nowhere":                                "cannot be read",
		"check " + model + " --data=":                                       "--data is empty",
		"check " + model + " --data {\"seq_len\":0}":                        "must be at least 1",
		"check " + model + " --data {\"seq_len\":1e99}":                     "seq_len",
		"check " + model + " --data {":                                      "ends too early",
	} {
		var stdout, stderr bytes.Buffer
		exit := Main(strings.Fields(args), strings.NewReader(""), &stdout, &stderr)
		if exit != exitUsage || !strings.Contains(stderr.String(), says) {
			t.Errorf("%s: exit %d: %s", args, exit, &stderr)
		}
	}
}
