package graph

import (
	"slices"
	"strings"
)

// groupMember says which block a component is shown in. It is for who looks: unlike a scope it decides nothing, and the fingerprint does
// not count it.
const groupMember = "group"

// Group is the block that a component is shown in, empty where none is said.
func (c *Component) Group() string {
	for i := range c.Extra {
		if m := &c.Extra[i]; m.Name == groupMember && strings.HasPrefix(m.Raw, `"`) {
			if s, err := newReader(m.Raw, Limits{}).str(); err == nil {
				return s
			}
		}
	}
	return ""
}

// SetGroup says which block a component is shown in; an empty one takes it away. The members that other copies of the component share
// stay as they are.
func (c *Component) SetGroup(name string) {
	c.Extra = slices.DeleteFunc(slices.Clone(c.Extra), func(m Member) bool { return m.Name == groupMember })
	if name != "" {
		c.Extra = append(c.Extra, Member{groupMember, StringValue(name).String()})
	}
}
