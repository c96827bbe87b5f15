package estimate

// accumulates reports whether a step takes several micro-batches.
func (o Options) accumulates() bool { return o.MicroBatch > 0 && o.MicroBatch < o.Batch }

// micro is the run of one micro-batch, and how many of them a step takes.
func (o Options) micro() (Options, int64) {
	if !o.accumulates() {
		return o, 1
	}
	n := (o.Batch + o.MicroBatch - 1) / o.MicroBatch
	o.Batch, o.MicroBatch = o.MicroBatch, 0
	return o, n
}

// micros is how many micro-batches a step takes.
func (o Options) micros() int64 {
	_, n := o.micro()
	return n
}
