package fix

import (
	"maps"
	"slices"
	"strconv"
)

// with is a target with another argument.
func (t *Target) with(arg *keyValue) *Target {
	if arg == nil {
		return t
	}
	out := *t
	out.Args = maps.Clone(t.Args)
	out.Args[arg.Name] = arg.Value
	return &out
}

// arguments are the caller's own, where they are whole numbers, with those that the finding asks for in their place: no file is wrong then.
func (x *fault) arguments() {
	for _, name := range slices.Sorted(maps.Keys(x.target.Args)) {
		n, err := strconv.ParseInt(x.target.Args[name], 10, 64)
		if err != nil {
			continue
		}
		for i, v := range x.wantedFor(n) {
			value, cost := strconv.FormatInt(v, 10), costNumber+min(i, 8)/2
			if slices.Contains(x.values, v) {
				cost = costEdit + 1
			}
			x.offer(cost, func() candidate {
				return candidate{arg: &keyValue{name, value}, cost: cost, what: "--arg " + name + "=" + value + " in place of " + x.target.Args[name]}
			})
		}
	}
}

func (c *candidate) argument() string {
	if c.arg == nil {
		return ""
	}
	return c.arg.Name + "=" + c.arg.Value
}
