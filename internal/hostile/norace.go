//go:build !race

package hostile

// underRace: the race detector multiplies processor time and memory, so costs are measured without it.
const underRace = false
