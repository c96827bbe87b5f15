package torch

import (
	"strings"

	"github.com/modelverifier/verifier/internal/importer/torch/interp"
)

// settingFunctions adds the functions of torch that set or tell its global state: the default dtype and device, threads and seeds.
func (r *reader) settingFunctions(torch *interp.Module) {
	for _, n := range []string{"set_default_tensor_type", "set_default_dtype", "set_num_threads", "use_deterministic_algorithms", "set_printoptions",
		"seed", "initial_seed", "set_rng_state", "get_rng_state", "set_default_device", "set_num_interop_threads"} {
		setDefault(torch, n, func(*interp.Interp, *interp.Args) interp.Value {
			r.cast = r.cast || strings.HasPrefix(n, "set_default_")
			return nil
		})
	}
	setDefault(torch, "get_default_dtype", func(*interp.Interp, *interp.Args) interp.Value { return interp.Symbol{Name: "torch.float32"} })
}
