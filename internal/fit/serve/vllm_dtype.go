package serve

import "strings"

// vllmDtype judges the data type against the card and the model (platforms/cuda.py, config/model.py).
func (l *launch) vllmDtype() {
	cc := l.capability()
	asked, given := l.str("--dtype")
	half := asked == "half" || asked == "float16"
	if given && asked == "bfloat16" && cc > 0 && cc < 80 {
		l.block("bf16-sm80", "use --dtype half", "bfloat16 needs compute capability 8.0, and %s has %s", l.request.GPU.Name, shownCapability(cc))
	}
	unstable := contains([]string{"gemma2", "gemma3", "gemma3_text", "glm4"}, l.model.ModelType)
	if given && half && unstable {
		l.block("fp16-unstable", "use --dtype bfloat16 or float32", "models of type %s are not stable in float16", l.model.ModelType)
	}
	if (!given || asked == "auto") && l.model.Dtype == "bfloat16" && cc > 0 && cc < 80 {
		to := "float16"
		if unstable {
			to = "float32, which takes twice the memory"
		}
		l.warn("bf16-fallback", "", "the checkpoint is in bfloat16, which %s does not have: the engine takes %s", l.request.GPU.Name, to)
	}
	if cc > 0 && cc < 70 {
		l.warn("gpu-too-old", "", "%s has compute capability %s, and the wheels of vLLM are built for 7.0 and higher", l.request.GPU.Name, shownCapability(cc))
	}
	if given && half && l.model.Dtype == "bfloat16" && !unstable && (cc == 0 || cc >= 80) {
		l.warn("dtype-cast", "", "the checkpoint is in bfloat16 and is cast to float16")
	}
	method := l.method("--quantization")
	if given && method == "mxfp4" && asked != "bfloat16" && asked != "auto" {
		l.block("dtype-vs-quant", "use --dtype bfloat16", "mxfp4 weights need bfloat16 activations, not %s", asked)
	}
	if given && (asked == "float32" || asked == "float") && contains([]string{"awq", "gptq", "awq_marlin", "gptq_marlin", "fp8"}, method) {
		l.block("dtype-vs-quant", "use --dtype auto", "%s weights need float16 or bfloat16 activations, not %s", method, asked)
	}
}

// vllmCache judges the type of the cache and the attention backend (v1/attention/backends).
func (l *launch) vllmCache() {
	cc, m := l.capability(), &l.model
	kv, _ := l.str("--kv-cache-dtype")
	if strings.HasPrefix(kv, "fp8") && cc > 0 {
		flashinfer := m.HeadDim == 64 || m.HeadDim == 128 || m.HeadDim == 256
		switch {
		case cc < 80:
			l.block("kv-fp8-sm89", "use --kv-cache-dtype auto", "no attention backend keeps an fp8 cache on compute capability %s (%s)", shownCapability(cc), l.request.GPU.Name)
		case cc < 89 && !flashinfer && m.HeadDim > 0 && !m.HasLatent():
			l.warn("kv-fp8-sm89", "use --kv-cache-dtype auto", "on compute capability %s an fp8 cache needs FlashInfer, which takes heads of 64, 128 or 256, not %d", shownCapability(cc), m.HeadDim)
		case cc < 89:
			l.warn("kv-fp8-sm89", "use --kv-cache-dtype auto", "on compute capability %s an fp8 cache needs FlashInfer to be installed", shownCapability(cc))
		}
	}
	if kv == "nvfp4" && m.HasLatent() {
		l.block("kv-nvfp4", "use --kv-cache-dtype auto", "an nvfp4 cache is not there for latent attention")
	}
	if kv == "bfloat16" && cc > 0 && cc < 80 {
		l.warn("kv-type", "use --kv-cache-dtype auto", "a bfloat16 cache needs compute capability 8.0, and %s has %s", l.request.GPU.Name, shownCapability(cc))
	}
	backend, given := l.str("--attention-backend")
	if !given {
		backend = l.envText("VLLM_ATTENTION_BACKEND")
	}
	switch backend = strings.ToUpper(backend); {
	case strings.HasPrefix(backend, "FLASH_ATTN") && cc > 0 && cc < 80:
		l.block("attn-backend", "leave the backend to the engine", "%s needs compute capability 8.0, and %s has %s", backend, l.request.GPU.Name, shownCapability(cc))
	case backend == "FLASH_ATTN" && m.HeadDim > 0 && !m.HasLatent() && m.HeadDim%8 != 0:
		l.block("attn-backend", "leave the backend to the engine", "%s takes heads whose size is a multiple of 8, not %d", backend, m.HeadDim)
	case backend == "FLASHINFER" && cc > 0 && cc < 75:
		l.block("attn-backend", "leave the backend to the engine", "%s needs compute capability 7.5, and %s has %s", backend, l.request.GPU.Name, shownCapability(cc))
	}
	if n, known := l.num("--block-size", 16); known && n > 0 && n%16 != 0 && n != 1 && n != 8 {
		l.warn("kv-type", "set --block-size to a multiple of 16", "--block-size is %d, and the attention kernels take multiples of 16", n)
	}
}

// goneQuants are methods and the last version that has them (quantization/__init__.py by tag; only gguf and bitsandbytes were
// read at every tag, so the others warn).
var goneQuants = map[string]struct {
	last  string
	exact bool
}{
	"gguf": {"0.23.0", true}, "bitsandbytes": {"0.27.1", true}, "aqlm": {"0.10.2", false}, "qqq": {"0.10.2", false}, "marlin": {"0.10.2", false}, "neuron_quant": {"0.10.2", false},
	"deepspeedfp": {"0.14.1", false}, "hqq": {"0.14.1", false}, "rtn": {"0.14.1", false}, "auto-round": {"0.14.1", false}, "bitblas": {"0.16.0", false}, "gptq_bitblas": {"0.16.0", false},
	"gptq_marlin_24": {"0.16.0", false}, "ipex": {"0.16.0", false}, "ptpc_fp8": {"0.18.1", false}, "tpu_int8": {"0.19.1", false}, "petit_nvfp4": {"0.19.1", false},
}

// vllmQuants are the methods that some version has.
var vllmQuants = []string{"awq", "awq_marlin", "auto_awq", "gptq", "gptq_marlin", "auto_gptq", "fp8", "compressed-tensors", "modelopt", "modelopt_fp4", "modelopt_mxfp8", "modelopt_mixed", "fbgemm_fp8",
	"fp_quant", "mxfp4", "gpt_oss_mxfp4", "mxfp8", "quark", "moe_wna16", "experts_int8", "torchao", "inc", "humming", "bitsandbytes", "gguf", "cpu_awq", "cpu_gptq", "nvfp4", "fp8_per_tensor", "fp8_per_block",
	"int8_per_channel_weight_only", "int8_per_channel", "w8a8_int8", "fouroversix"}

// vllmQuant judges the method against the version.
func (l *launch) vllmQuant() {
	asked, given := l.str("--quantization")
	if !given {
		return
	}
	asked = strings.ToLower(asked)
	gone, known := goneQuants[asked]
	switch {
	case known && gone.exact && mustVersion(gone.last).before(l.version):
		l.block("quant-unknown", "use vLLM "+gone.last, "--quantization %s was last in vLLM %s, and is refused by %s", asked, gone.last, l.version.text)
	case known && mustVersion(gone.last).before(l.version):
		l.warn("quant-unknown", "", "--quantization %s was last seen in vLLM %s", asked, gone.last)
	case !known && !contains(vllmQuants, asked):
		l.warn("quant-unknown", "", "--quantization %s is none of the methods known: %s", clip(asked, 40), strings.Join(vllmQuants[:18], ", "))
	}
	if (asked == "fbgemm_fp8" || asked == "fp_quant") && l.version.since("0.14.0") && !l.on("--allow-deprecated-quantization", false) {
		l.block("quant-deprecated", "add --allow-deprecated-quantization", "--quantization %s is deprecated, and refused without --allow-deprecated-quantization", asked)
	}
	if cc := l.capability(); cc > 0 && cc < 100 && (asked == "modelopt_fp4" || asked == "nvfp4") {
		l.warn("nvfp4-gpu", "", "%s has no 4-bit floats: they are emulated", l.request.GPU.Name)
	}
}
