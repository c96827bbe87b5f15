package config

// MaxPositions is the longest text that the config allows, 0 where it names none.
func (c *Config) MaxPositions() int64 {
	for _, key := range []string{"max_position_embeddings", "n_positions", "max_seq_len", "n_ctx",
		"max_sequence_length"} {
		if c.Has(key) {
			if n := c.Int(key); n > 0 {
				return n
			}
		}
	}
	return 0
}

// RopeBase is what the wavelengths of rotary positions are powers of, in the old spelling or the new.
func (c *Config) RopeBase() float64 {
	for _, key := range []string{"rope_parameters", "rope_scaling"} {
		if m, ok := c.Value(key).(map[string]any); ok {
			if inner := Object(m, c.At(key)); inner.Has("rope_theta") {
				return inner.Float("rope_theta")
			}
		}
	}
	for _, key := range []string{"rope_theta", "rotary_emb_base", "default_theta"} {
		if c.Has(key) {
			return c.Float(key)
		}
	}
	return 0
}

// HeadDim is head_dim, or what is left of hidden_size for each head.
func (c *Config) HeadDim() int64 {
	if c.Has("head_dim") {
		return c.Size("head_dim")
	}
	c.RefuseNull("head_dim")
	dim, heads := c.Size("hidden_size"), c.Size("num_attention_heads")
	if dim < heads {
		Fail(CodeContradiction, c.At("hidden_size"),
			"is %d, less than num_attention_heads, %d: a head would have no features", dim, heads)
	}
	return dim / heads
}

// KVHeads is num_key_value_heads, or as many as there are heads.
func (c *Config) KVHeads() int64 {
	return c.SizeOr("num_key_value_heads", c.Size("num_attention_heads"))
}

// Divides refuses a size that is not a multiple of another, as the configuration class does.
func (c *Config) Divides(whole, part string) {
	if c.Size(whole)%c.Size(part) != 0 {
		Fail(CodeContradiction, c.At(whole), "is %d, which is no multiple of %s, %d", c.Int(whole), part, c.Int(part))
	}
}
