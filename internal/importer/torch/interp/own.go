package interp

import "strings"

// own loads a module that this program brings along as Python source, such as the parts of a package that models use. nil where there is none.
func (in *Interp) own(name string) *Module {
	if in.Own == nil {
		return nil
	}
	source, ok := in.Own(name)
	if !ok {
		return nil
	}
	if m := in.modules["<"+name+">"]; m != nil {
		return m
	}
	before := in.guess
	m, err := in.LoadSource("<"+name+">", "<"+name+">", source)
	in.guess = before
	if err != nil {
		panic("interp: " + name + " does not parse: " + err.Error())
	}
	m.Attrs["__name__"] = name
	return m
}

// completed looks a name of a native module up in the module of that name that this program brings along as Python source.
func (in *Interp) completed(m *Module, name string) (Value, bool) {
	if in.Natives[m.Name] != m || strings.HasPrefix(name, "__") {
		return nil, false
	}
	more := in.own(m.Name)
	if more == nil {
		return nil, false
	}
	v, ok := more.Attrs[name]
	if _, imported := v.(*lazy); !ok || imported {
		return nil, false
	}
	m.Attrs[name] = v
	return v, true
}

// RaiseClass raises an exception of a class.
func (in *Interp) RaiseClass(c *Class, format string, args ...any) {
	exc := NewInstance(c)
	exc.Set("args", NewTuple(said(format, args...)))
	panic(in.raised(exc))
}
