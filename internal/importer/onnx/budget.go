package onnx

// What a small file could ask for without end is counted here: nodes that are put in place again and again, numbers that are gone over
// again and again, and what constants were made of.

const (
	maxTracked = 1 << 21 // entries of what constants were computed from, over all of them and over all that reads them
	maxWalked  = 1 << 26 // numbers of constants and lists that are gone over
)

// maxInputs is how many inputs, results or attributes a node has that counts as one.
const maxInputs = 8

// count counts nodes that are gone over. A function is put in place, and the graphs inside its nodes are read, once for each call.
func (im *reading) count(nodes int) error {
	if im.inlined += nodes; im.inlined > maxNodes {
		return tooLarge(maxNodes, "", "the model has more than %d nodes once its functions are put in place", maxNodes)
	}
	return nil
}

// weight is what a node counts as: more than one where it has very much.
func (p *protoNode) weight() int { return 1 + (len(p.in)+len(p.out)+len(p.attrs))/maxInputs }

// walks counts numbers that a node goes over to decide a shape or a constant, whatever the size of its result.
func (im *reading) walks(n *node, numbers int64) error {
	if im.walked += numbers; im.walked > maxWalked {
		return tooLarge(maxWalked, n.path(), "the nodes up to this one go over more than %d numbers of constants", maxWalked)
	}
	return nil
}

// tracks counts parts of constants that a node goes over.
func (im *reading) tracks(n *node, parts int) error {
	if im.tracked += parts; im.tracked > maxTracked {
		return tooLarge(maxTracked, n.path(), "constants are computed from too many tensors")
	}
	return nil
}

// lengths is how much the attributes of a node hold, each number and each letter as one.
func (n *node) lengths() int64 {
	sum := 0
	for i := range n.attrs {
		a := &n.attrs[i]
		sum += len(a.name) + len(a.s) + len(a.floats) + len(a.ints) + len(a.strings)
	}
	return int64(sum)
}
