package torch

import "github.com/modelverifier/verifier/internal/importer/torch/interp"

func init() { beside = append(beside, (*reader).hyperparameters) }

// hyperparameters is what preludes/pytorch_lightning asks: the arguments of the constructor that calls save_hyperparameters.
func (r *reader) hyperparameters() *interp.Module {
	return interp.Native("_hyperparameters", map[string]interp.Value{
		"collect": interp.Fn("collect", func(in *interp.Interp, _ *interp.Args) interp.Value { return in.ArgumentsOf("__init__") }),
	})
}
