package httpapi

// Span is a request that is followed by whoever traces. This package knows the word and no library for it: the container follows
// nothing.
type Span interface {
	// Part begins a step of the request, and returns what ends it.
	Part(name string) func()
	// Sampled is the id of the trace, for the log; empty where the trace is not kept.
	Sampled() string
	// End notes what was answered. All words are ours.
	End(method, route string, status int)
}

func nothing() {}

// part follows a step of the call, where anybody does.
func (c *Call) part(name string) func() {
	if c.span == nil {
		return nothing
	}
	return c.span.Part(name)
}
