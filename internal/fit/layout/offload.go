package layout

import "github.com/modelverifier/verifier/internal/quantity"

// Offloads are what lies in the host's memory: the optimizer's states with the 32-bit weights that it changes, or these, gradients and weights. Empty is
// nothing.
var Offloads = []string{"optimizer", "all"}

// What of a rank lies in the host's memory is computed from the frameworks' sources, and was not measured; the time of moving it is in no figure.
//
// DeepSpeed (runtime/zero/config.py): offload_optimizer takes ZeRO, whose gradients follow from stage 2 on; offload_param takes stage 3.
// Megatron-LM (core/optimizer/cpu_offloading/README.md): --optimizer-cpu-offload goes with --use-precision-aware-optimizer, which takes the
// distributed optimizer (core/optimizer/optimizer_config.py); gradients stay.
// torchtitan (config of training): enable_cpu_offload moves parameters, gradients and optimizer states in FSDP.

// offloadable is the condition that the framework moves what it is asked to.
func offloadable(c *plan) (string, bool) {
	stage := "zero " + quantity.Grouped(c.zero)
	switch {
	case c.Offload == "":
		return "", true
	case c.framework.name == torchtitanName && c.Offload == "optimizer":
		return "FSDP moves weights, gradients and states together: give all", false
	case c.framework.name == torchtitanName && c.zero < 2:
		return "what FSDP has sharded is moved, and " + stage + " shards nothing that it could", false
	case c.framework.name == megatronName && c.Offload == "all":
		return "Megatron-LM moves the optimizer's states alone: give optimizer", false
	case c.zero < 1:
		return "the optimizer's states are moved where ranks share them, from zero 1 on", false
	case c.framework.name == deepspeedName && c.Offload == "all" && c.zero < 3:
		return "DeepSpeed moves weights from ZeRO stage 3 on, and this is " + stage, false
	}
	return "", true
}

// offloaded moves what a rank has of weights, gradients and states to the host, and returns what stays on the card. With the weights of whole layers
// on the card in both passes, their part of them lies in the host's memory beside.
func (c *plan) offloaded(s *stage, weights, grads, states int64) (int64, int64, int64) {
	if c.Offload == "" {
		return weights, grads, states
	}
	s.host, states = plus(s.host, states), 0
	if c.Offload == "all" || c.framework.name == deepspeedName && c.zero >= 2 {
		s.host, grads = plus(s.host, grads), 0
	}
	if c.Offload == "all" && c.zero == 3 {
		s.host, weights = plus(s.host, weights), 0
	}
	return weights, grads, states
}
