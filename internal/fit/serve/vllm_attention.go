package serve

import (
	"slices"
	"strings"
)

// attentionBackend is what a backend of vLLM runs on, as its class says (v1/attention/backends; read at 0.27.1). A selected one that
// does not take the model, the card or the cache is refused (platforms/cuda.py, get_attn_backend_cls; AttentionBackend.validate_configuration).
type attentionBackend struct {
	latent bool    // for latent attention, and nothing else
	least  int64   // compute capability times ten; that of the two oldest changed with the version, and is judged beside the cache
	majors []int64 // of the compute capability, where only some are taken
	heads  []int64 // sizes, where only some are taken
	caches []string
	sinks  bool // takes heads with a sink
}

var floats = []string{"auto", "float16", "bfloat16"}

// attentionBackends are those that run on NVIDIA's cards, by name. The sparse ones, which are for few models, are not among them.
var attentionBackends = map[string]attentionBackend{
	"FLASH_ATTN":     {caches: append([]string{"fp8", "fp8_e4m3"}, floats...), sinks: true},
	"TRITON_ATTN":    {caches: append([]string{"fp8", "fp8_e4m3", "fp8_e5m2", "int4_per_token_head", "int8_per_token_head", "fp8_per_token_head"}, floats...), sinks: true},
	"FLASHINFER":     {heads: []int64{64, 128, 256, 512}, caches: append([]string{"fp8", "fp8_e4m3", "fp8_e5m2", "nvfp4"}, floats...), sinks: true},
	"FLEX_ATTENTION": {caches: floats},
	"HPC_ATTN":       {least: 90, heads: []int64{128}, caches: []string{"auto", "bfloat16", "fp8_e4m3"}},
	"TURBOQUANT":     {caches: []string{"turboquant_k8v4", "turboquant_4bit_nc", "turboquant_k3v4_nc", "turboquant_3bit_nc"}},
	"FLASHINFER_MLA": {latent: true, majors: []int64{10}, caches: append([]string{"fp8", "fp8_e4m3"}, floats...)},
	"TOKENSPEED_MLA": {latent: true, majors: []int64{10}, caches: []string{"fp8", "fp8_e4m3"}},
	"CUTLASS_MLA":    {latent: true, majors: []int64{10}, caches: append([]string{"fp8", "fp8_e4m3"}, floats...)},
	"FLASHMLA":       {latent: true, majors: []int64{9, 10}, caches: append([]string{"fp8", "fp8_e4m3"}, floats...)},
	"FLASH_ATTN_MLA": {latent: true, majors: []int64{9}, caches: floats},
	"TRITON_MLA":     {latent: true, caches: append([]string{"fp8", "fp8_e4m3"}, floats...)},
}

// selectedBackend judges a backend that the command names.
func (l *launch) selectedBackend(name string) {
	b, listed := attentionBackends[name]
	m, cc := &l.model, l.capability()
	if !listed || !l.version.since("0.13.0") || m.Layers == 0 {
		return
	}
	fix := drop("--attention-backend")
	card := ""
	if cc > 0 {
		card = l.request.GPU.Name
	}
	switch {
	case b.latent && !m.HasLatent():
		l.refuse("attn-backend", fix, "%s is for latent attention, which the model does not have", name)
		return
	case !b.latent && m.HasLatent():
		l.refuse("attn-backend", fix, "%s does not run latent attention, which the model has", name)
		return
	}
	if cc > 0 && (cc < b.least || len(b.majors) > 0 && !slices.Contains(b.majors, cc/10)) {
		l.refuse("attn-backend", fix, "%s does not run on compute capability %s (%s)", name, shownCapability(cc), card)
	}
	if len(b.heads) > 0 && m.HeadDim > 0 && !slices.Contains(b.heads, m.HeadDim) {
		l.refuse("attn-backend", fix, "%s does not take heads of %d features", name, m.HeadDim)
	}
	if m.ModelType == "gpt_oss" && (!b.sinks || name == "FLASHINFER" && cc > 0 && cc/10 != 10) {
		l.refuse("attn-backend", fix, "%s does not take the sinks of the model's attention here", name)
	}
	if kv, given := l.str("--kv-cache-dtype"); given && l.version.since("0.27.0") && !contains(b.caches, kv) &&
		contains(l.engine.flags().byName["--kv-cache-dtype"].choices(l.version), kv) {
		l.refuse("kv-type", fix, "%s keeps no cache in %s", name, kv)
	}
}

// cacheWithout judges a type of cache that no backend of the card keeps, where the engine chooses the backend.
func (l *launch) cacheWithout(kv string) {
	cc, m := l.capability(), &l.model
	fix := set("--kv-cache-dtype", "auto")
	switch {
	case cc == 0 || m.Layers == 0 || !l.version.since("0.13.0"):
	case kv == "nvfp4" && cc/10 != 10 && !m.HasLatent():
		l.refuse("kv-nvfp4", fix, "an nvfp4 cache is there on compute capability 10 alone, and %s has %s", l.request.GPU.Name, shownCapability(cc))
	case kv == "fp8_inc":
		l.refuse("kv-type", fix, "no attention backend of NVIDIA's cards keeps a cache in %s", kv)
	case kv == "fp8_ds_mla" && !m.HasLatent():
		l.refuse("kv-type", fix, "a cache in %s is for latent attention, which the model does not have", kv)
	case m.HasLatent() && (strings.HasPrefix(kv, "turboquant") || strings.HasSuffix(kv, "_per_token_head")):
		l.refuse("kv-type", fix, "no backend of latent attention keeps a cache in %s", kv)
	}
}
