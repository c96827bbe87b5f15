//go:build race

package hostile

// UnderRace says whether the race detector is on. It multiplies processor time and memory, so costs are measured without it.
const UnderRace = true
