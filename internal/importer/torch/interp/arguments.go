package interp

// ArgumentsOf is a dictionary of the arguments of the innermost call of a function of a name, without self; those that are taken by ** are
// among them.
func (in *Interp) ArgumentsOf(name string) *Dict {
	d := NewDict()
	for f := in.frame; f != nil; f = f.up {
		if f.fn == nil || f.fn.Name != name || f.env == nil {
			continue
		}
		scope := f.env
		for i, p := range f.fn.Params {
			v, ok := scope.vars[p.Name]
			switch {
			case !ok || i == 0 || p.Stars == 1:
			case p.Stars == 2:
				in.update(d, v)
			default:
				d.Set(p.Name, v)
			}
		}
		break
	}
	return d
}
