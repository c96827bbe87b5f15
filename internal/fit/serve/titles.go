package serve

import (
	"cmp"
	"slices"
)

// titles are the rules, in the order in which findings of one severity are listed.
var titles = map[string]string{}

var ruleTable = [][2]string{
	{"command-syntax", "A shell does not run the command"},
	{"command-unread", "The command is too long to be read"},
	{"unknown-engine-command", "No known engine is launched"},
	{"shell-pipeline", "The command is a pipeline"},
	{"shell-comment", "A comment ends the command early"},
	{"shell-variable", "A variable is not set"},
	{"docker-entrypoint-mismatch", "The container's entry point does not take these arguments"},
	{"docker-gpus", "The container sees no GPU"},
	{"docker-shm", "The container has little shared memory"},
	{"config-file", "The configuration file"},
	{"flag-unknown", "The engine has no such flag"},
	{"flag-removed", "The flag is gone in this version"},
	{"flag-not-yet", "The flag is younger than this version"},
	{"flag-wrong-engine", "The flag is of another engine"},
	{"flag-ambiguous-prefix", "The abbreviation is ambiguous"},
	{"flag-bool-value", "A switch has a value"},
	{"flag-value-missing", "A flag has no value"},
	{"flag-value", "A value cannot be read"},
	{"flag-value-range", "A value is out of range"},
	{"flag-choice", "A value is none of those allowed"},
	{"flag-json", "A value is no JSON"},
	{"flag-duplicate", "A flag is given twice"},
	{"flag-deprecated", "A flag is deprecated"},
	{"extra-argument", "A word too many"},
	{"serve-model-flag", "The model is not where it belongs"},
	{"mutually-exclusive", "Two flags exclude each other"},
	{"flag-needs-flag", "A flag needs another"},
	{"prints-help", "Nothing is launched"},
	{"entry-missing", "The version has no such command"},
	{"tool-choice-needs-parser", "Tool choice needs a parser"},
	{"tp-heads", "The attention heads do not divide among the cards"},
	{"tp-kv-heads", "The key/value heads do not divide among the cards"},
	{"tp-kv-replicated", "Key/value heads are replicated"},
	{"tp-intermediate", "The feed-forward width does not divide among the cards"},
	{"moe-intermediate-tp", "The width of the experts does not divide among the cards"},
	{"tp-vocab", "The vocabulary does not divide among the cards"},
	{"tp-experts", "More cards than experts"},
	{"linear-heads-tp", "The heads of the linear attention do not divide among the cards"},
	{"world-gpus", "More cards are needed than there are"},
	{"dp-gpus", "More cards are needed than there are"},
	{"pp-layers", "More pipeline stages than layers"},
	{"pp-uneven", "The pipeline stages are uneven"},
	{"pp-unsupported-model", "The model runs in no pipeline"},
	{"pp-executor", "The executor has no pipeline"},
	{"pp-spec", "Pipeline and speculation exclude each other"},
	{"pp-partition", "The partition does not fit the layers"},
	{"ep-needs-moe", "Expert parallelism needs experts"},
	{"ep-divides", "The experts do not divide among the cards"},
	{"ep-uneven", "The experts are uneven"},
	{"eplb-needs-ep", "Expert balancing needs expert parallelism"},
	{"dp-local", "The data-parallel sizes contradict each other"},
	{"dp-attention", "Data-parallel attention does not fit the sizes"},
	{"dcp", "Context parallelism does not fit the sizes"},
	{"attn-cp", "Context parallelism does not fit the sizes"},
	{"moe-dense-tp", "The size of the dense layers' split"},
	{"nnodes", "The nodes do not fit the sizes"},
	{"max-len-derived", "The context is longer than the model's"},
	{"max-len-longrope", "The context is the short one"},
	{"ctx-train", "The context is longer than the model's"},
	{"tgi-input-total", "Input and total length contradict each other"},
	{"tgi-input-twins", "Two flags exclude each other"},
	{"tgi-dtype-and-quantize", "Two flags exclude each other"},
	{"tgi-exl2-shard", "The quantisation has no shards"},
	{"batched-lt-maxlen", "A batch is shorter than a sequence"},
	{"batched-lt-seqs", "A batch has fewer tokens than sequences"},
	{"batched-gt-all", "A batch is larger than all sequences"},
	{"long-prefill-threshold", "The threshold is longer than a sequence"},
	{"chunked-off", "Chunked prefill is off"},
	{"chunk-page", "Chunk and page do not fit"},
	{"cg-sizes", "The graph sizes contradict each other"},
	{"torch-compile-nopad", "Two flags exclude each other"},
	{"priority-policy", "The policy knows no priorities"},
	{"trt-num-tokens", "Long prompts are refused"},
	{"running-clipped", "Fewer requests run than asked for"},
	{"max-total-tokens-clipped", "Fewer tokens are cached than asked for"},
	{"bf16-sm80", "The card has no bfloat16"},
	{"bf16-fallback", "float16 takes the place of bfloat16"},
	{"fp16-unstable", "The model does not run in float16"},
	{"dtype-cast", "The weights are cast"},
	{"dtype-vs-quant", "The quantisation does not take the data type"},
	{"gpu-too-old", "The card is too old"},
	{"kv-fp8-sm89", "The card has no such cache"},
	{"kv-nvfp4", "The card has no such cache"},
	{"kv-type", "The cache type does not fit"},
	{"attn-backend", "The attention backend does not run here"},
	{"gguf-flash", "The cache type needs flash attention"},
	{"sm-tensor", "The split needs flash attention"},
	{"quant-capability", "The card is too old for the quantisation"},
	{"quant-mismatch", "The checkpoint is quantised otherwise"},
	{"quant-unknown", "The quantisation is not in this version"},
	{"quant-deprecated", "The quantisation is deprecated"},
	{"quant-fp8-block-tp", "The blocks of the quantisation do not divide among the cards"},
	{"quant-group-tp", "The groups of the quantisation do not divide among the cards"},
	{"quant-marlin-shape", "The kernels do not take the shape"},
	{"nvfp4-gpu", "The card has no 4-bit floats"},
	{"lora-rank-choice", "The LoRA rank is none of those allowed"},
	{"lora-cpu", "Fewer adapters on the host than in a batch"},
	{"lora-init", "LoRA lacks something"},
	{"lora-vocab", "The vocabulary is too large for LoRA"},
	{"spec-tokens", "The speculation lacks its length"},
	{"spec-method", "The speculation lacks something"},
	{"spec-key", "The speculation has an unknown key"},
	{"spec-draft-tp", "The draft's split"},
	{"spec-ngram", "The n-gram lengths contradict each other"},
	{"spec-mtp-missing", "The model has no draft layers"},
	{"served-name-colon", "The served name has a colon"},
	{"model-missing", "No model is named"},
	{"mem-weights", "The weights do not fit"},
	{"mem-kv-none", "Nothing is left for keys and values"},
	{"images-length", "The images of a request are longer than a sequence"},
	{"images-open", "What images take is not known"},
	{"mem-kv-one-seq", "One sequence of full length does not fit"},
	{"mem-kv-concurrency", "Few sequences run at once"},
	{"mem-util-free", "More memory is asked for than is free"},
	{"mem-kv-override", "The check of the memory is bypassed"},
	{"mem-cpu-offload", "Weights are kept on the host"},
	{"mem-graphs", "Capturing graphs may run out of memory"},
	{"arch-unsupported", "The engine has no such architecture"},
	{"remote-code", "The model brings its own code"},
	{"lora-rank-adapter", "The adapter's rank is too high"},
	{"mem-prefill", "The longest prompt may not fit"},
}

var ruleOrder = func() []string {
	var order []string
	for _, r := range ruleTable {
		titles[r[0]] = r[1]
		order = append(order, r[0])
	}
	return order
}()

// sortFindings puts blocks first, then follows the list of rules; findings of one rule keep the order of the command.
func sortFindings(fs []Finding) {
	place := map[string]int{} // of each rule in the list
	for i, r := range ruleOrder {
		place[r] = i
	}
	slices.SortStableFunc(fs, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(weight(a), weight(b)), cmp.Compare(place[a.Rule], place[b.Rule]))
	})
}

func weight(f Finding) int {
	if f.Severity == Block {
		return 0
	}
	return 1
}
