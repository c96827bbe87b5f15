package torch

// table holds what names are bound to. A block can be gone through and left again, with the table as it was before: it keeps what each
// change has replaced. So a block costs what it binds, however much is bound around it.
type table[V any] struct {
	of  map[string]V
	was []replaced[V]
}

type replaced[V any] struct {
	name  string
	value V
	known bool
}

func (t *table[V]) set(name string, v V) {
	t.drop(name)
	if t.of == nil {
		t.of = map[string]V{}
	}
	t.of[name] = v
}

func (t *table[V]) drop(name string) {
	v, known := t.of[name]
	t.was = append(t.was, replaced[V]{name, v, known})
	delete(t.of, name)
}

// back undoes the changes behind the first n.
func (t *table[V]) back(n int) {
	for len(t.was) > n {
		last := t.was[len(t.was)-1]
		t.was = t.was[:len(t.was)-1]
		delete(t.of, last.name)
		if last.known {
			t.of[last.name] = last.value
		}
	}
}

// bound are what the statements so far have bound: tensors, models and numbers.
type bound struct {
	tensors table[Input]
	models  table[bool]
	numbers table[int64]
}

// inside goes through a block that sees what is bound around it, and whose own names end with it.
func (b *bound) inside(block func()) {
	tensors, models, numbers := len(b.tensors.was), len(b.models.was), len(b.numbers.was)
	block()
	b.tensors.back(tensors)
	b.models.back(models)
	b.numbers.back(numbers)
}
