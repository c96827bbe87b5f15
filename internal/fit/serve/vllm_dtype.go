package serve

import (
	"slices"
	"strings"
)

// vllmDtype judges the data type against the card and the model (platforms/cuda.py, config/model.py).
func (l *launch) vllmDtype() {
	cc := l.capability()
	asked, given := l.str("--dtype")
	if !l.hidden("--dtype") {
		l.judgedWhere(cc > 0, "bf16-sm80", "gpu-too-old")
		l.judgedWhere(l.model.ModelType != "", "fp16-unstable")
		l.judgedWhere(l.model.Dtype != "" && cc > 0, "bf16-fallback", "dtype-cast")
		l.judgedWhere(l.config != nil && !l.hidden("--quantization"), "dtype-vs-quant")
	}
	half := asked == "half" || asked == "float16"
	if given && asked == "bfloat16" && cc > 0 && cc < 80 {
		l.block("bf16-sm80", set("--dtype", "half"), "bfloat16 needs compute capability 8.0, and %s has %s", l.request.GPU.Name, shownCapability(cc))
	}
	unstable := contains([]string{"gemma2", "gemma3", "gemma3_text", "glm4"}, l.model.ModelType)
	if given && half && unstable && l.version.since("0.9.1") && (l.model.ModelType != "gemma3_text" || l.version.since("0.11.0")) { // _FLOAT16_NOT_SUPPORTED_MODELS by tag
		l.block("fp16-unstable", set("--dtype", "bfloat16", "float32"), "models of type %s are not stable in float16", l.model.ModelType)
	}
	if (!given || asked == "auto") && l.model.Dtype == "bfloat16" && cc > 0 && cc < 80 {
		to := "float16"
		if unstable {
			to = "float32, which takes twice the memory"
		}
		l.warn("bf16-fallback", nil, "the checkpoint is in bfloat16, which %s does not have: the engine takes %s", l.request.GPU.Name, to)
	}
	if cc > 0 && cc < 70 {
		l.warn("gpu-too-old", nil, "%s has compute capability %s, and the wheels of vLLM are built for 7.0 and higher", l.request.GPU.Name, shownCapability(cc))
	}
	if given && half && l.model.Dtype == "bfloat16" && !unstable && (cc == 0 || cc >= 80) {
		l.warn("dtype-cast", nil, "the checkpoint is in bfloat16 and is cast to float16")
	}
	method := l.method("--quantization")
	if given && method == "mxfp4" && asked != "bfloat16" && asked != "auto" {
		l.block("dtype-vs-quant", set("--dtype", "bfloat16"), "mxfp4 weights need bfloat16 activations, not %s", asked)
	}
	if given && (asked == "float32" || asked == "float") && contains([]string{"awq", "gptq", "awq_marlin", "gptq_marlin", "fp8"}, method) {
		l.block("dtype-vs-quant", set("--dtype", "auto"), "%s weights need float16 or bfloat16 activations, not %s", method, asked)
	}
}

// vllmBackends are the names of AttentionBackendEnum from 0.13.0 on, where a flag takes them.
var vllmBackends = spellings("FLASH_ATTN,TRITON_ATTN,ROCM_AITER_MLA,ROCM_AITER_FA,TORCH_SDPA,FLASHINFER,FLASHINFER_MLA,TRITON_MLA,CUTLASS_MLA,FLASHMLA,FLASH_ATTN_MLA,PALLAS~0.13.0,IPEX~0.15.1,NO_ATTENTION," +
	"FLEX_ATTENTION,TREE_ATTN~0.20.2,ROCM_ATTN,ROCM_AITER_TRITON_MLA,ROCM_AITER_MLA_SPARSE,FLASHMLA_SPARSE,ROCM_AITER_UNIFIED_ATTN,CPU_ATTN,CUSTOM,FLASH_ATTN_DIFFKV@0.14.0,FLASHINFER_MLA_SPARSE@0.17.0," +
	"XPU_MLA_SPARSE@0.18.0,TURBOQUANT@0.20.0,TOKENSPEED_MLA@0.21.0,FLASHMLA_SPARSE_DSV4@0.23.0,FLASHINFER_MLA_SPARSE_DSV4@0.23.0,ROCM_FLASHMLA_SPARSE_DSV4@0.23.0,TRITON_ATTN_DIFFKV@0.24.0," +
	"FLASHINFER_MLA_SPARSE_SM120@0.24.0,MINIMAX_M3_SPARSE@0.24.0,FLASH_ATTN_MLA_SPARSE@0.25.0,HPC_ATTN@0.25.0,CUTLASS_MSA@0.27.0,TRITON_MSA@0.27.0,CPU_MLA@0.28.0")

// vllmCache judges the type of the cache and the attention backend (v1/attention/backends).
func (l *launch) vllmCache() {
	cc, m := l.capability(), &l.model
	kv, _ := l.str("--kv-cache-dtype")
	l.judgedWhere(cc > 0 && m.Layers > 0 && !l.hidden("--kv-cache-dtype"), "kv-fp8-sm89", "kv-nvfp4", "kv-type")
	l.judgedWhere(cc > 0 && m.Layers > 0 && !l.hidden("--attention-backend"), "attn-backend")
	if strings.HasPrefix(kv, "fp8") && cc > 0 {
		flashinfer := m.HeadDim == 64 || m.HeadDim == 128 || m.HeadDim == 256
		switch {
		case cc < 80 && !l.version.since("0.11.0"): // the first engine had kernels of its own
			l.warn("kv-fp8-sm89", set("--kv-cache-dtype", "auto"), "an fp8 cache on compute capability %s (%s) needs the first engine of vLLM", shownCapability(cc), l.request.GPU.Name)
		case cc < 80:
			l.block("kv-fp8-sm89", set("--kv-cache-dtype", "auto"), "no attention backend keeps an fp8 cache on compute capability %s (%s)", shownCapability(cc), l.request.GPU.Name)
		case cc < 89 && !flashinfer && m.HeadDim > 0 && !m.HasLatent():
			l.warn("kv-fp8-sm89", set("--kv-cache-dtype", "auto"), "on compute capability %s an fp8 cache needs FlashInfer, which takes heads of 64, 128 or 256, not %d", shownCapability(cc), m.HeadDim)
		case cc < 89:
			l.warn("kv-fp8-sm89", set("--kv-cache-dtype", "auto"), "on compute capability %s an fp8 cache needs FlashInfer to be installed", shownCapability(cc))
		}
	}
	if kv == "nvfp4" && m.HasLatent() {
		l.block("kv-nvfp4", set("--kv-cache-dtype", "auto"), "an nvfp4 cache is not there for latent attention")
	}
	if kv == "bfloat16" && cc > 0 && cc < 80 {
		l.warn("kv-type", set("--kv-cache-dtype", "auto"), "a bfloat16 cache needs compute capability 8.0, and %s has %s", l.request.GPU.Name, shownCapability(cc))
	}
	backend, given := l.str("--attention-backend")
	if !given {
		backend = l.envText("VLLM_ATTENTION_BACKEND")
	}
	backend = strings.ToUpper(backend)
	if i := slices.IndexFunc(vllmBackends, func(s spelling) bool { return s.name == backend }); given && backend != "AUTO" && (i < 0 || !vllmBackends[i].alive(l.version) && l.named) {
		l.refuse("attn-backend", drop("--attention-backend"), "--attention-backend is %q, which is none of vLLM %s", clip(backend, 40), l.version.text)
	}
	if given {
		l.selectedBackend(backend)
	}
	l.cacheWithout(kv)
	switch {
	case !l.version.since("0.11.0"): // the first engine takes another one by itself
	case backend == "FLASH_ATTN" && cc > 0 && cc < 80:
		l.block("attn-backend", drop("--attention-backend"), "%s needs compute capability 8.0, and %s has %s", backend, l.request.GPU.Name, shownCapability(cc))
	case backend == "FLASH_ATTN" && m.HeadDim > 0 && !m.HasLatent() && m.HeadDim%8 != 0:
		l.block("attn-backend", drop("--attention-backend"), "%s takes heads whose size is a multiple of 8, not %d", backend, m.HeadDim)
	case backend == "FLASHINFER" && cc > 0 && (cc < 75 || cc < 80 && l.version.since("0.27.0")):
		l.block("attn-backend", drop("--attention-backend"), "%s needs a younger card than %s, which has compute capability %s", backend, l.request.GPU.Name, shownCapability(cc))
	}
	if n, known := l.num("--block-size", 16); known && n > 0 && n%16 != 0 && n != 1 && n != 8 {
		l.warn("kv-type", setSize("--block-size", (n+15)/16*16), "--block-size is %d, and the attention kernels take multiples of 16", n)
	}
}

// deprecatedQuants are refused without a flag from 0.14.0 on (quantization/__init__.py, DEPRECATED_QUANTIZATION_METHODS by tag).
var deprecatedQuants = spellings("deepspeedfp~0.14.1,hqq~0.14.1,rtn~0.14.1,auto-round~0.14.1,bitblas~0.15.1,gptq_bitblas~0.15.1,gptq_marlin_24~0.15.1,ipex~0.15.1,ptpc_fp8~0.18.1,experts_int8~0.19.1," +
	"petit_nvfp4~0.19.1,tpu_int8~0.22.1,fbgemm_fp8,fp_quant")

// vllmDeprecated judges a method that the engine is about to drop, also one that only the checkpoint names.
func (l *launch) vllmDeprecated() {
	m := l.method("--quantization")
	if slices.ContainsFunc(deprecatedQuants, func(s spelling) bool { return s.name == m && s.alive(l.version) }) && l.version.since("0.14.0") && !l.on("--allow-deprecated-quantization", false) {
		l.block("quant-deprecated", add("--allow-deprecated-quantization"), "the quantisation %s is deprecated, and refused without --allow-deprecated-quantization", m)
	}
}

// vllmQuant judges the method against the version (config/model.py, _verify_quantization; up to 0.12 the parser itself).
func (l *launch) vllmQuant() {
	l.judgedWhere(l.config != nil && !l.hidden("--quantization"), "quant-deprecated")
	l.judgedWhere(l.versed() && !l.hidden("--quantization"), "quant-unknown")
	l.judgedWhere(l.capability() > 0 && !l.hidden("--quantization"), "nvfp4-gpu")
	l.vllmDeprecated()
	asked, given := l.str("--quantization")
	if !given {
		return
	}
	if l.version.since("0.13.0") {
		asked = strings.ToLower(asked)
	}
	f := l.engine.flags().byName["--quantization"]
	if methods := f.choices(l.version); !contains(methods, asked) {
		fix := drop("--quantization")
		i := slices.IndexFunc(f.values, func(s spelling) bool { return s.name == asked })
		switch {
		case i >= 0 && f.values[i].until.text != "" && f.values[i].until.before(l.version):
			last := f.values[i].until.text
			l.refuse("quant-unknown", drop("--quantization"), "--quantization %s was last in vLLM %s, and is refused by %s", asked, last, l.version.text)
		case i >= 0 && !l.named: // a younger engine than the assumed one has it
			l.warn("quant-unknown", fix, "--quantization %s came with vLLM %s", asked, f.values[i].since.text)
		default:
			l.refuse("quant-unknown", fix, "--quantization %s is no method of vLLM %s", clip(asked, 40), l.version.text)
		}
	}
	if cc := l.capability(); cc > 0 && cc < 100 && (asked == "modelopt_fp4" || asked == "nvfp4") {
		l.warn("nvfp4-gpu", nil, "%s has no 4-bit floats: they are emulated", l.request.GPU.Name)
	}
}
