package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:            "groupedQueryAttention",
	Title:         "Attention whose heads share keys and values",
	Doc:           `Llama's attention: numHeads heads of queries share numKVHeads heads of keys and values, which makes the cache of a served model smaller. Takes (sequence, embedDim). The key heads must divide the query heads, and the query heads embedDim unless headDim is given. Rotary positions are a component of their own.`,
	Source:        "Ainslie et al. 2023; transformers LlamaAttention, Qwen3Attention for qkNorm",
	Group:         Attention,
	Aliases:       []string{"gqa", "multiQueryAttention", "mqa"},
	Traits:        IsAttention | HasActivation | KeepsShape | IsCausal,
	Params:        groupedParams(perHead()),
	Shape:         groupedShape,
	Weights:       groupedWeights,
	FLOPs:         groupedFLOPs,
	Lower:         func(l *Lowering) op.Value { return grouped{}.lower(l) },
	Torch:         `GroupedQueryAttention({{embedDim}}, {{numHeads}}, {{numKVHeads}}, {{headDim}}, {{bias}}, {{outBias}}, {{qkNorm}}, {{causal}}, dropout={{dropout}}, softcap={{softcap}}, clip={{clip}})`,
	Module:        groupedModule,
	WeightFormula: groupedWeightFormula,
	FLOPsFormula:  groupedFLOPsFormula,
	Examples: []Example{
		{In: "[12,32]", Args: "embedDim=32 numHeads=4 num_kv_heads=2", Out: "[12,32]", Weights: 3072, FLOPs: 92160},
		{In: "[12,33]", Args: "embedDim=33 numHeads=4 numKVHeads=1 headDim=5 qkNorm=true bias=true outBias=false", Out: "[12,33]", Weights: 1690},
		{In: "[3,8]", Args: "embedDim=8 numHeads=2 dropout=0.1 softcap=50 clip=8", Out: "[3,8]", Weights: 256},
		{In: "[3,8]", Args: "embedDim=8 numHeads=2 dropout=1.5", Err: "dropout is 1.5 but must be from 0 to 1"},
		{In: "[3,8]", Args: "embedDim=8 numHeads=2 clip=-1", Err: "clip is -1 but must be positive"},
		{In: "[3,8]", Args: "embedDim=8 numHeads=2 bias=true", Out: "[3,8]", Weights: 288},
		{In: "[12,32]", Args: "embedDim=32 numHeads=4 numKVHeads=3", Err: "4 heads are not divisible by 3 key and value heads"},
		{In: "[12,33]", Args: "embedDim=33 numHeads=4", Err: "embedDim 33 is not divisible by 4 heads"},
		{In: "[12,32]", Args: "embedDim=16 numHeads=4", Err: "embedDim is 16 but 32 features arrive"},
	},
})
