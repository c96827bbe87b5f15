package hf

var _ = define(Family{Type: "ernie", Default: "ErnieForMaskedLM",
	Classes: Encoder{Prefix: "ernie", Model: Bert{Embed: taskTypes}.model, Pool: bertPool, Words: bertWords, Whole: pooledClass}.
		classes("Ernie", masked, nextOne, sequences, tokens, answers)})

// taskTypes adds a vector for the task that the text belongs to.
func taskTypes(m *Build, x, _ Node) Node {
	if m.Bool("use_task_id") {
		x = m.Segments(x, "task_type_embeddings", m.Size("task_type_vocab_size"), m.Size("hidden_size"))
	}
	return x
}
