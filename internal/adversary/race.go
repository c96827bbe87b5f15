//go:build race

package adversary

// underRace: the race detector multiplies processor time and memory, so costs are measured without it.
const underRace = true
