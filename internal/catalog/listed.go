package catalog

// mostListed is how many entries a list may have each of which makes weights with names of their own. Networks have a few.
const mostListed = 16

// lists is how many entries a parameter lists; a number alone is none.
func (c *Call) lists(name string) int { return len(c.arg(name).List()) }

// listed refuses a list that is longer than mostListed.
func (c *Call) listed(name string) error {
	if n := c.lists(name); n > mostListed {
		return c.Errorf(BadParam, "%s lists %d sizes; of more than %d nothing is judged", name, n, mostListed)
	}
	return nil
}
