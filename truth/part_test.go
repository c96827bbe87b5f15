package truth

import "flag"

var all = flag.Bool("all", false, "takes every row where a test takes one in a few: make truth")

// oneIn is which part of the rows a long test takes, as one in so many.
func oneIn(few int) int {
	if *all {
		return 1
	}
	return few
}
