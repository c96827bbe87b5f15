package config

// Two is a height and a width.
type Two [2]int64

// Square is an equal height and width.
func Square(n int64) Two { return Two{n, n} }

// PairOf is Pair as one value.
func (c *Config) PairOf(key string) Two {
	h, w := c.Pair(key)
	return Two{h, w}
}

// Last is the last entry of a list.
func (c *Config) Last(key string) int64 {
	list := c.Ints(key)
	if len(list) == 0 {
		Fail(CodeConfig, c.At(key), "is empty")
	}
	return list[len(list)-1]
}

// maxStage is beyond the channels, heads and sides of every image, and small enough that a product of three cannot
// overflow.
const maxStage = 1 << 20

// Bounded refuses a size of an image that follows from a key and is beyond maxStage.
func (c *Config) Bounded(key string, n int64) int64 {
	if n > maxStage {
		Fail(CodeConfig, c.At(key), "gives %d, beyond %d", n, int64(maxStage))
	}
	return n
}

// Entry reads an entry of a list, whose length the class does not check.
func Entry[T any](c *Config, key string, list []T, i int64) T {
	if i >= int64(len(list)) {
		Fail(CodeContradiction, c.At(key), "has %d entries, but %d stages need one each", len(list), i+1)
	}
	return list[i]
}

// Nth reads the number of a stage, at least 0, from a list.
func (c *Config) Nth(key string, i int64) int64 {
	n := Entry(c, key, c.Ints(key), i)
	if n < 0 {
		Fail(CodeConfig, c.At(key), "has %d for stage %d but takes integers of at least 0", n, i)
	}
	return c.Bounded(key, n)
}

// NthSize reads the number of a stage, at least 1, from a list.
func (c *Config) NthSize(key string, i int64) int64 {
	n := c.Nth(key, i)
	if n < 1 {
		Fail(CodeConfig, c.At(key), "has %d for stage %d but takes integers of at least 1", n, i)
	}
	return n
}

// Floats reads a list of numbers.
func (c *Config) Floats(key string) []float64 {
	items := c.List(key)
	out := make([]float64, len(items))
	for i, v := range items {
		out[i] = (&Config{values: map[string]any{key: v}, path: c.path}).Float(key)
	}
	return out
}
