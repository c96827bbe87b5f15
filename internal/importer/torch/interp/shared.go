package interp

// shared are the classes that all imports of the process have in common. Nothing of them changes once the program has begun: what one
// import changed, another would read, or be reading.
var shared = map[*Class]bool{}

// share makes classes shared ones. Only what runs before the program begins may call it.
func share(classes ...*Class) {
	for _, c := range classes {
		shared[c] = true
	}
}

// keep raises for an attribute that is set of a shared class. Python's own built-in classes take none either.
func (in *Interp) keep(c *Class, name string) {
	if !shared[c] {
		return
	}
	const message = "cannot set '%s' attribute of immutable type '%s'"
	if builtinTypes[c.Name] && c != typeClass {
		in.Raise("TypeError", message, name, c.Name)
	}
	in.Doubt("TypeError", message, name, c.Name) // it stands for other classes, too, of which some can be changed
}
