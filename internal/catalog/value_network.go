package catalog

var _ = define(Type{
	ID:            "valueNetwork",
	Title:         "From an observation to the value of its state",
	Doc:           `Two hidden layers of hiddenSize features, each behind an activation, and a linear layer with outputDim values. If inFeatures is left out it is taken from the input.`,
	Source:        "vwxyzjn/cleanrl ppo.py Agent; Schulman et al. 2017",
	Group:         Blocks,
	Traits:        HasActivation,
	Params:        []Param{paramNetworkIn, paramHidden, paramValues, paramBends},
	Shape:         headShape("outputDim"),
	Weights:       networkWeights("outputDim"),
	FLOPs:         networkFLOPs("outputDim"),
	Lower:         lowerNetwork,
	Torch:         `TwoHiddenLayers({{inFeatures}}, {{hiddenSize}}, {{outputDim}}, {{activation}})`,
	Module:        networkModule,
	WeightFormula: "inFeatures*hiddenSize + hiddenSize*hiddenSize + hiddenSize*outputDim + 2*hiddenSize + outputDim",
	FLOPsFormula:  "2*(size(in)/inFeatures)*hiddenSize*(inFeatures + hiddenSize + outputDim)",
	Examples: []Example{
		{In: "[8]", Args: "hiddenSize=64", Out: "[1]", Weights: 4801, FLOPs: 9344},
		{In: "[3,8]", Args: "hiddenSize=16 activation=relu outputDim=2", Out: "[3,2]", Weights: 450, FLOPs: 2496},
		{In: "[8]", Args: "inFeatures=6", Err: "inFeatures is 6 but 8 features arrive"},
	},
})
