package catalog

// mostListed is how many entries a list may have each of which makes weights with names of their own. Networks have a few. A longer list is
// judged, but neither its weights nor its operations are followed: they are not known.
const mostListed = 16

// long reports whether a parameter lists more than is followed.
func (c *Call) long(name string) bool { return len(c.arg(name).List()) > mostListed }
