package interp

import "github.com/modelverifier/verifier/internal/importer/torch/python"

// seen is what was found out of the syntax of a program. A statement in a loop is gone over once, however often it runs.
type seen struct {
	super map[python.Stmt]bool          // whether the function that begins with it uses super()
	calls map[python.Stmt]calls         // the calls in it
	reads map[python.Stmt][]python.Expr // the names that it reads
	binds map[python.Stmt][]string      // the names that it binds
	tries map[*python.Try]bool          // whether it catches a failed import
	pure  map[python.Expr]bool          // whether it only compares
}

// kept gives what is known of a node, and finds it out where nothing is.
func kept[N comparable, V any](known *map[N]V, node N, find func() V) V {
	v, ok := (*known)[node]
	if !ok {
		v = find()
		if *known == nil {
			*known = map[N]V{}
		}
		(*known)[node] = v
	}
	return v
}
