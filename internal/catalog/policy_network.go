package catalog

var _ = define(Type{
	ID:            "policyNetwork",
	Title:         "From an observation to logits of actions",
	Doc:           `Two hidden layers of hiddenSize features, each behind an activation, and a linear layer with a logit for each of numActions actions. If inFeatures is left out it is taken from the input.`,
	Source:        "vwxyzjn/cleanrl ppo.py Agent; Schulman et al. 2017",
	Group:         Blocks,
	Traits:        HasActivation,
	Params:        []Param{paramNetworkIn, paramHidden, paramActions, paramBends},
	Shape:         headShape("numActions"),
	Weights:       networkWeights("numActions"),
	FLOPs:         networkFLOPs("numActions"),
	Lower:         lowerNetwork,
	Torch:         `TwoHiddenLayers({{inFeatures}}, {{hiddenSize}}, {{numActions}}, {{activation}})`,
	Module:        networkModule,
	WeightFormula: "inFeatures*hiddenSize + hiddenSize*hiddenSize + hiddenSize*numActions + 2*hiddenSize + numActions",
	FLOPsFormula:  "2*(size(in)/inFeatures)*hiddenSize*(inFeatures + hiddenSize + numActions)",
	Examples: []Example{
		{In: "[8]", Args: "hiddenSize=64 numActions=4", Out: "[4]", Weights: 4996, FLOPs: 9728},
		{In: "[8]", Args: "numActions=4 activation=gelu", Err: `activation is "gelu" but takes one of tanh, relu`},
		{In: "[8]", Args: "inFeatures=6 numActions=4", Err: "inFeatures is 6 but 8 features arrive"},
	},
})
