package runfile

func fusedLoss(r *Run) **Setting[bool]    { return &r.FusedLoss }
func generations(r *Run) **Setting[int64] { return &r.Generations }
func completion(r *Run) **Setting[int64]  { return &r.CompletionLength }
func generator(r *Run) **Setting[bool]    { return &r.Generator }

// kernels are switches of fused kernels, of which one is enough.
func kernels(names string) (out []key) {
	for _, k := range without("", names) {
		out = append(out, reads(k.name, boolean, func(r *reader, v *value) {
			if v.is() && r.run.FusedKernels == nil {
				give(r, &r.run.FusedKernels, v, true)
			}
		}))
	}
	return out
}

// attends reads a switch of one attention.
func attends(how string) func(*reader, *value) {
	return func(r *reader, v *value) {
		if v.is() {
			give(r, &r.run.Attention, v, how)
		}
	}
}

// bits reads a switch of how many bits the base's weights have.
func bits(n int64) func(*reader, *value) {
	return func(r *reader, v *value) {
		if v.is() {
			give(r, &r.run.Quantization.Bits, v, n)
		}
	}
}

// targets reads target_modules as peft does: a list of names; all-linear; a single name; or, of other text, a regular expression.
func (r *reader) targets(v *value) {
	if v.kind == text && v.text != AllLinear && !plainName(v.text) {
		give(r, &r.run.LoRA.Pattern, v, v.text)
		return
	}
	names := r.names(v)
	if old := r.run.LoRA.Targets; old != nil && len(old.Value) == 1 && old.Value[0] == AllLinear {
		return // lora_target_linear holds them too
	}
	give(r, &r.run.LoRA.Targets, v, names)
}

// plainName reports whether text is a name or several with commas, and no expression.
func plainName(s string) bool {
	for _, c := range s {
		if c != '_' && c != '.' && c != '-' && c != ',' && c != ' ' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' ||
			c > 'Z') {
			return false
		}
	}
	return s != ""
}

func (r *reader) saved(v *value) { give(r, &r.run.LoRA.Saved, v, r.names(v)) }
