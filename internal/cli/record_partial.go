package cli

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/modelverifier/verifier/internal/attest"
	"github.com/modelverifier/verifier/internal/report"
)

// weightEndings end the names of files of weights.
var weightEndings = []string{".safetensors", ".bin", ".gguf", ".ggml", ".onnx", ".pt", ".pth", ".ckpt", ".h5", ".msgpack", ".npz"}

// leaveOut says what of a model its files do not hold: a verdict on a description that was downloaded without its weights is no verdict on
// the model. It goes by the files alone, so that a rerun elsewhere says the same.
func (r *recording) leaveOut(run *report.Run) error {
	if l := r.j.loaded; l != nil && l.Weights != nil && !l.Weights.Agrees() && run.Command != "check" && run.Command != applyCommand {
		run.Leave("the weights that are stored are not those of the description: "+l.Weights.Differs(), "put the config.json beside the weights that they were saved with")
	}
	if r.model.Kind != attest.Hub {
		return nil
	}
	files := r.listing.Files()
	if !slices.ContainsFunc(files, isWeights) {
		run.Leave("the model's weights are not among the files: only its description was downloaded", "download the whole model, and attest that")
		return nil
	}
	missing, err := r.missingShards(files)
	if err != nil {
		return err
	}
	switch n := len(missing); {
	case n == 1:
		run.Leave("a file of weights that the index names was not downloaded: "+missing[0], "download the whole model, and attest that")
	case n > 1:
		run.Leave(fmt.Sprintf("%d files of weights that the index names were not downloaded, the first is %s", n, missing[0]), "download the whole model, and attest that")
	}
	return nil
}

func isWeights(name string) bool {
	return slices.Contains(weightEndings, path.Ext(name)) && !strings.HasSuffix(name, "training_args.bin")
}

// missingShards are the files that an index at the top names and the model does not have.
func (r *recording) missingShards(files []string) (missing []string, _ error) {
	for _, name := range files {
		if !strings.HasSuffix(name, ".index.json") || strings.Contains(name, "/") {
			continue
		}
		data, err := readFound(r.listing.Path, name, false)
		if err != nil {
			return nil, err
		}
		var index struct {
			Weights map[string]string `json:"weight_map"`
		}
		if json.Unmarshal(data, &index) != nil {
			continue // who reads weights says what is wrong with it
		}
		for _, shard := range index.Weights {
			if !slices.Contains(files, shard) && !slices.Contains(missing, shard) {
				missing = append(missing, shard)
			}
		}
	}
	slices.Sort(missing)
	return missing, nil
}
