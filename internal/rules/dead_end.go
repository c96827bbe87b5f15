package rules

import "github.com/modelverifier/verifier/internal/infer"

var _ = define(Rule{
	ID:       "dead-end",
	Title:    "A result that nothing reads",
	Severity: Warn,
	Doc:      `Nothing reads what the component computes and it is no output, so it costs time and memory and changes nothing; weights on the way to it alone get no gradient. Training on several GPUs stops on such weights, since DistributedDataParallel waits for every gradient. Connect it, or remove it.`,
	Source:   "torch.nn.parallel.DistributedDataParallel, find_unused_parameters",
	Whole: func(p *Pass) {
		if p.inferred || len(p.Wiring.Dangling) > 0 || !p.hasType("output") {
			return // the connection may be one that was not read or leads nowhere; without outputs everything is a dead end
		}
		skip := map[int]bool{}
		for _, i := range p.Wiring.Duplicates { // not wired: the connections are those of the component that has their id
			skip[i] = true
		}
		for i := range p.Nodes {
			n := &p.Nodes[i]
			if n.Type == nil || n.Type.ID == "output" || n.State == infer.Note || n.State == infer.Absent || skip[i] || len(p.Wiring.Outputs(i)) > 0 {
				continue
			}
			p.Reportf(i, "nothing reads its result")
		}
	},
	Examples: []string{
		"x: input shape=[8]\nf: linear outFeatures=4\ng: linear outFeatures=4 // want\no: output\nx -> f -> o\nx -> g",
		"x: input shape=[8]\ny: input shape=[8] // want\no: output\nx -> o",
		"x: input shape=[8]\np: parameter shape=[8]\na: add\no: output\nx -> p\nx, p -> a -> o",
		"x: input shape=[8]\nf: linear outFeatures=4\ng: linear outFeatures=4\na: add\no: output\nx -> f -> a\nx -> g -> a\na -> o\nn: stickyNote text=todo",
	},
})
