package bench

import "github.com/modelverifier/verifier/internal/quantity"

var _ = defineKind(Kind{
	Name: "cache-bytes",
	Doc: "The KV cache of one sequence of so many tokens, in bf16, takes at most so many bytes. A model that keeps " +
		"no cache is no decoder and does not pass.",
	Want: func(c *Constraint) string {
		return quantity.Sprintf("KV cache of one sequence of %s tokens in bf16: %s", quantity.Grouped(c.Tokens),
			quantity.Own(span(c.Min, c.Max, exactBytes)))
	},
	Holds: func(c *Constraint, s *subject) (bool, string) {
		t, why := s.used(c.Tokens)
		if t == nil {
			return false, why
		}
		if t.CacheBytes <= 0 || t.Options.Prompt+t.Options.Generated != c.Tokens {
			return false, "it keeps no KV cache: it does not generate tokens"
		}
		return within(t.CacheBytes, c), "it takes " + exactBytes(t.CacheBytes)
	},
})
