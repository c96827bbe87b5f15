package interp

import "github.com/modelverifier/verifier/internal/importer/torch/python"

// Mentioned gives the names that the methods of the class use.
func (c *Class) Mentioned(give func(name string)) {
	for _, n := range c.order {
		f, ok := c.attrs[n].(*Func)
		if !ok {
			continue
		}
		for _, s := range f.Body {
			python.Each(s, func(node any) {
				if x, ok := node.(*python.Name); ok {
					give(x.ID)
				}
			})
		}
	}
}

// Ancestors are the class and those that it derives from.
func (c *Class) Ancestors() []*Class { return c.mro }
