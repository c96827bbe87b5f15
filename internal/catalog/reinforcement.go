package catalog

import "github.com/modelverifier/verifier/internal/op"

// This file holds what heads and networks of reinforcement learning share: linear layers of the last axis.

// paramHeadIn is the features of a head, which the peers of a network call its hidden size.
var paramHeadIn = Param{Name: "inFeatures", Kind: Int, Min: 1, Lazy: true, Reads: At(-1), Aliases: []string{"hiddenSize", "inputDim"}, Doc: "size of the last axis of the input"}

// paramNetworkIn is the features of an observation.
var paramNetworkIn = Param{Name: "inFeatures", Kind: Int, Min: 1, Lazy: true, Reads: At(-1), Aliases: []string{"inputDim", "stateDim", "observationDim"}, Doc: "features of an observation, the last axis of the input"}

var (
	paramActions = Param{Name: "numActions", Kind: Int, Min: 1, Writes: At(-1), Aliases: []string{"actionDim"}, Doc: "number of actions, the last axis of the result"}
	paramValues  = Param{Name: "outputDim", Kind: Int, Min: 1, Default: 1, Writes: At(-1), Doc: "number of values, the last axis of the result"}
	paramHidden  = Param{Name: "hiddenSize", Kind: Int, Min: 1, Default: 256, Aliases: []string{"hiddenDim"}, Doc: "features of both hidden layers"}
	paramBends   = Param{Name: "activation", Kind: String, Default: "tanh", Values: []string{"tanh", "relu"}, Doc: "what is behind the hidden layers, tanh or relu"}
)

// headShape gives the last axis the size of a parameter.
func headShape(size string) func(*Call) (Shape, error) {
	return func(c *Call) (Shape, error) {
		if c.In[0].Rank() == 0 {
			return nil, c.Errorf(RankMismatch, "takes (…, features), got a scalar per sample")
		}
		return c.In[0].With(-1, c.Int(size)), c.Match(LinearInMismatch, "inFeatures", "feature")
	}
}

// networkWeights declares two hidden layers and the one behind them, as the parts of a torch.nn.Sequential.
func networkWeights(size string) func(*Call) {
	return func(c *Call) {
		hidden := c.Int("hiddenSize")
		c.Linear("0", c.Int("inFeatures"), hidden, true)
		c.Linear("2", hidden, hidden, true)
		c.Linear("4", hidden, c.Int(size), true)
	}
}

func networkFLOPs(size string) func(*Call) int64 {
	return func(c *Call) int64 {
		hidden := c.Int("hiddenSize")
		return c.MatMul(1, c.positions(), hidden, c.Add(c.Int("inFeatures"), hidden, c.Int(size)))
	}
}

func lowerNetwork(l *Lowering) op.Value {
	x := l.activate(l.Str("activation"), l.Map(l.X[0], "0"))
	return l.Map(l.activate(l.Str("activation"), l.Map(x, "2")), "4")
}

// networkModule is the source of both networks.
const networkModule = `class TwoHiddenLayers(nn.Sequential):
    def __init__(self, features, hidden, out, activation):
        act = {"tanh": nn.Tanh, "relu": nn.ReLU}[activation]
        super().__init__(nn.Linear(features, hidden), act(), nn.Linear(hidden, hidden), act(), nn.Linear(hidden, out))
`
