package graph

import "hash/maphash"

// keys finds names that an object has twice. It holds the names of all open objects, the innermost last; most objects have
// few, which are compared one by one, and wide ones get a hash table that the next wide object of the same depth uses again.
type keys struct {
	names   []span
	escaped []string                 // names that are no part of the document as they stand
	tables  *[MaxDepth + 1]*keyTable // by depth
}

// span is a name: a part of the document or, where end is below zero, an escaped one. It holds no pointer, which spares
// the garbage collector's work on every name of the document.
type span struct{ start, end int32 }

// fewKeys is how many names are compared one by one.
const fewKeys = 8

func (r *reader) spelled(s span) string {
	if s.end < 0 {
		return r.keys.escaped[s.start]
	}
	return r.text[s.start:s.end]
}

// isNew notes a name of the innermost object, whose names begin at base, and reports whether it is new there.
func (r *reader) isNew(base int, name string, s span) bool {
	if len(name) != int(s.end-s.start) {
		s = span{int32(len(r.keys.escaped)), -1}
		r.keys.escaped = append(r.keys.escaped, name)
	}
	own := r.keys.names[base:]
	r.keys.names = append(r.keys.names, s)
	if len(own) >= fewKeys {
		return r.isNewInTable(own, name, s)
	}
	for _, other := range own {
		if (other.end < 0 || int(other.end-other.start) == len(name)) && r.spelled(other) == name {
			return false
		}
	}
	return true
}

func (r *reader) isNewInTable(own []span, name string, s span) bool {
	if r.keys.tables == nil {
		r.keys.tables = new([MaxDepth + 1]*keyTable)
	}
	t := r.keys.tables[r.depth]
	if t == nil {
		t = &keyTable{seed: maphash.MakeSeed()}
		r.keys.tables[r.depth] = t
	}
	if len(own) == fewKeys { // the object has just become wide
		t.age++
		for _, other := range own {
			t.insert(r, r.spelled(other), other)
		}
	}
	return t.insert(r, name, s)
}

// keyTable is a set of names, by open addressing. Slots of an earlier age are empty, so that nothing is cleared between
// objects. The seed is random, so that no sender can choose names that collide; it decides nothing else.
type keyTable struct {
	seed  maphash.Seed
	age   uint32
	slots [2 * MaxKeys]struct {
		name span
		age  uint32
	}
}

// insert adds a name and reports whether it was not there yet.
func (t *keyTable) insert(r *reader, name string, s span) bool {
	for at := maphash.String(t.seed, name); ; at++ {
		slot := &t.slots[at%uint64(len(t.slots))]
		if slot.age != t.age {
			slot.name, slot.age = s, t.age
			return true
		}
		if r.spelled(slot.name) == name {
			return false
		}
	}
}
