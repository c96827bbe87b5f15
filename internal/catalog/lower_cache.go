package catalog

import "github.com/modelverifier/verifier/internal/op"

// Cache is past_key_values.update of transformers' DynamicCache for keys and values of (heads, positions, features), in
// the order in which it is given them: those of the positions before and these, where the model writes token by
// token; else they come back as they are. A layer with a window remembers the last positions of it, as a view of all
// that it was given (DynamicSlidingWindowLayer).
func (l *Lowering) Cache(window int64, states ...op.Value) []op.Value {
	if !l.Caches {
		return states
	}
	past := l.Past
	if window > 0 {
		past = min(past, window-1)
	}
	out := make([]op.Value, len(states))
	for k, x := range states {
		out[k] = op.Cached(l.P, x, past)
	}
	return out
}

// cached is keys and values of a type that may have a window.
func (l *Lowering) cached(k, v op.Value) (op.Value, op.Value) {
	window := int64(0)
	if l.Type.Param("windowSize") != nil && l.Has("windowSize") {
		window = l.Int("windowSize")
	}
	both := l.Cache(window, k, v)
	return both[0], both[1]
}
