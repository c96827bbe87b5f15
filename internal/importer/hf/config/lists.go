package config

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/modelverifier/verifier/internal/graph"
)

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

// lists are those of a config that were read, by where they lie: families ask for them layer by layer.
type lists struct {
	ints   map[listKey][]int64
	texts  map[listKey][]string
	truths map[listKey][]bool
	floats map[listKey][]float64
	named  map[listKey]map[int64]bool
}

// listKey tells lists apart: two of them may begin alike.
type listKey struct {
	first *any
	count int
}

// once reads a list, or takes what was read before. What it gives is for reading.
func once[T any](known *map[listKey]T, items []any, read func() T) T {
	if known == nil || len(items) == 0 {
		return read()
	}
	key := listKey{&items[0], len(items)}
	out, ok := (*known)[key]
	if !ok {
		if *known == nil {
			*known = map[listKey]T{}
		}
		out = read()
		(*known)[key] = out
	}
	return out
}

// Ints reads a list of integers. It is for reading: all who ask are given the same.
func (c *Config) Ints(key string) []int64 {
	items := c.List(key)
	var known *map[listKey][]int64
	if c.lists != nil {
		known = &c.lists.ints
	}
	return once(known, items, func() []int64 {
		return entries(items, func(i int, v any) int64 {
			if n, ok := v.(json.Number); ok {
				if small, err := strconv.ParseInt(n.String(), 10, 32); err == nil {
					return small
				}
			}
			return c.Integer(fmt.Sprintf("%s[%d]", key, i), v)
		})
	})
}

// HasInt reports whether a list of integers has one.
func (c *Config) HasInt(key string, n int64) bool {
	list, items := c.Ints(key), c.List(key)
	if c.lists == nil {
		return slices.Contains(list, n)
	}
	return once(&c.lists.named, items, func() map[int64]bool {
		out := make(map[int64]bool, len(list))
		for _, n := range list {
			out[n] = true
		}
		return out
	})[n]
}

// Strs reads a list of texts. It is for reading.
func (c *Config) Strs(key string) []string {
	items := c.List(key)
	var known *map[listKey][]string
	if c.lists != nil {
		known = &c.lists.texts
	}
	return once(known, items, func() []string {
		return entries(items, func(i int, v any) string {
			s, ok := v.(string)
			if !ok {
				Fail(graph.CodeType, c.At(fmt.Sprintf("%s[%d]", key, i)), "is %s but takes a text", Written(v))
			}
			return s
		})
	})
}

// Bools reads a list of truth values. It is for reading.
func (c *Config) Bools(key string) []bool {
	items := c.List(key)
	var known *map[listKey][]bool
	if c.lists != nil {
		known = &c.lists.truths
	}
	return once(known, items, func() []bool {
		return entries(items, func(i int, v any) bool {
			b, ok := v.(bool)
			if n, num := v.(json.Number); num {
				b, ok = n.String() != "0", true
			}
			if !ok {
				Fail(graph.CodeType, c.At(fmt.Sprintf("%s[%d]", key, i)), "is %s but takes true or false", Written(v))
			}
			return b
		})
	})
}

// Floats reads a list of numbers. It is for reading.
func (c *Config) Floats(key string) []float64 {
	items := c.List(key)
	var known *map[listKey][]float64
	if c.lists != nil {
		known = &c.lists.floats
	}
	return once(known, items, func() []float64 {
		return entries(items, func(_ int, v any) float64 {
			return (&Config{values: map[string]any{key: v}, path: c.path}).Float(key)
		})
	})
}

// entries reads each entry of a list.
func entries[T any](items []any, read func(i int, v any) T) []T {
	out := make([]T, len(items))
	for i, v := range items {
		out[i] = read(i, v)
	}
	return out
}
