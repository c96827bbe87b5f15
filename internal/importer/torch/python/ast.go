// Package python reads Python 3 source into a syntax tree.
//
// It knows the language's grammar and nothing of what a program means: no imports, no evaluation, no PyTorch. Size and depth of
// what it reads are bounded, so that a hostile file costs little.
package python

// Expr is an expression; Line is where it begins.
type Expr interface{ Line() int }

// Pos is the line of a node, counted from 1.
type Pos int

// Line returns the line.
func (p Pos) Line() int { return int(p) }

// The expressions.
type (
	// Name is a variable.
	Name struct {
		Pos
		ID string
	}
	// Const is a literal: int64, float64, string, bool, nil for None, Big for an integer beyond 64 bits, Bytes, Complex or Dots.
	Const struct {
		Pos
		Value any
	}
	// FString is a formatted string: literal parts are Const, the others are expressions.
	FString struct {
		Pos
		Parts []Expr
	}
	// Sequence is a tuple, list or set display.
	Sequence struct {
		Pos
		Kind  Kind
		Items []Expr
	}
	// Dict is a dictionary display; a nil key stands for **value.
	Dict struct {
		Pos
		Keys, Values []Expr
	}
	// Unary is one of - + ~ not.
	Unary struct {
		Pos
		Op string
		X  Expr
	}
	// Binary is arithmetic, or the lazy "and" and "or".
	Binary struct {
		Pos
		Op   string
		L, R Expr
	}
	// Compare is a chain: L Ops[0] Rights[0] Ops[1] …
	Compare struct {
		Pos
		L      Expr
		Ops    []string
		Rights []Expr
	}
	// Call calls Fn.
	Call struct {
		Pos
		Fn   Expr
		Args []Arg
	}
	// Attr is X.Name.
	Attr struct {
		Pos
		X    Expr
		Name string
	}
	// Index is X[I].
	Index struct {
		Pos
		X, I Expr
	}
	// Slice is lo:hi:step inside an index; each may be nil.
	Slice struct {
		Pos
		Lo, Hi, Step Expr
	}
	// Lambda is an unnamed function.
	Lambda struct {
		Pos
		Params []Param
		Body   Expr
	}
	// Cond is "Then if Test else Else".
	Cond struct {
		Pos
		Test, Then, Else Expr
	}
	// Comp is a comprehension or generator; Key is set for dictionaries.
	Comp struct {
		Pos
		Kind    Kind
		Key     Expr
		Item    Expr
		Clauses []Clause
	}
	// Star is *X in a display, a call or a target.
	Star struct {
		Pos
		X Expr
	}
	// Named is the assignment expression ID := X.
	Named struct {
		Pos
		ID string
		X  Expr
	}
	// Suspend is yield, yield from or await.
	Suspend struct {
		Pos
		Op string
		X  Expr
	}
)

// Kind tells displays and comprehensions apart.
type Kind uint8

// The kinds.
const (
	TupleKind Kind = iota
	ListKind
	SetKind
	DictKind
	GeneratorKind
)

// Big is an integer that does not fit in 64 bits; Bytes and Complex are literals that models do not need.
type (
	Big     string
	Bytes   string
	Complex string
	Dots    struct{}
)

// Arg is an argument of a call: positional, Name=Value, *Value (Stars 1) or **Value (Stars 2).
type Arg struct {
	Name  string
	Stars int
	Value Expr
}

// Clause is "for Target in Iter if Ifs…".
type Clause struct {
	Target, Iter Expr
	Ifs          []Expr
}

// Param is a parameter of a function. Stars is 1 for *args, 2 for **kwargs; a bare * or / has no name. KeywordOnly parameters
// come behind a *.
type Param struct {
	Name        string
	Default     Expr
	Annotation  Expr
	Stars       int
	KeywordOnly bool
}

// Stmt is a statement.
type Stmt interface{ Line() int }

// The statements.
type (
	// ExprStmt evaluates X.
	ExprStmt struct {
		Pos
		X Expr
	}
	// Assign is Targets[0] = Targets[1] = … = Value.
	Assign struct {
		Pos
		Targets []Expr
		Value   Expr
	}
	// AugAssign is Target Op= Value.
	AugAssign struct {
		Pos
		Target Expr
		Op     string
		Value  Expr
	}
	// AnnAssign is Target: Annotation = Value, where Value may be nil.
	AnnAssign struct {
		Pos
		Target, Annotation, Value Expr
	}
	// If has its elif parts nested in Else.
	If struct {
		Pos
		Test       Expr
		Then, Else []Stmt
	}
	// For loops over Iter.
	For struct {
		Pos
		Target, Iter Expr
		Body, Else   []Stmt
		Async        bool
	}
	// While loops while Test holds.
	While struct {
		Pos
		Test       Expr
		Body, Else []Stmt
	}
	// FuncDef defines a function. Generator is set where its body yields.
	FuncDef struct {
		Pos
		Name             string
		Params           []Param
		Body             []Stmt
		Decorators       []Expr
		Async, Generator bool
	}
	// ClassDef defines a class.
	ClassDef struct {
		Pos
		Name       string
		Bases      []Arg
		Body       []Stmt
		Decorators []Expr
	}
	// Return leaves a function; X may be nil.
	Return struct {
		Pos
		X Expr
	}
	// Jump is pass, break or continue.
	Jump struct {
		Pos
		Op string
	}
	// Import is "import a.b as c, …".
	Import struct {
		Pos
		Names []Alias
	}
	// ImportFrom is "from ..Module import Names"; the name * takes all.
	ImportFrom struct {
		Pos
		Module string
		Level  int
		Names  []Alias
	}
	// With enters contexts.
	With struct {
		Pos
		Items []WithItem
		Body  []Stmt
	}
	// Try runs Body under handlers.
	Try struct {
		Pos
		Body, Else, Finally []Stmt
		Handlers            []Handler
	}
	// Raise raises X, or again what is being handled where X is nil.
	Raise struct {
		Pos
		X Expr
	}
	// Assert checks Test.
	Assert struct {
		Pos
		Test, Message Expr
	}
	// Delete removes targets.
	Delete struct {
		Pos
		Targets []Expr
	}
	// Scope is global or nonlocal.
	Scope struct {
		Pos
		Op    string
		Names []string
	}
	// Match is a match statement. Its patterns are kept as text only: the reader of the tree must give up on it.
	Match struct {
		Pos
		Subject Expr
	}
)

// Alias is one name of an import, As empty where it keeps its name.
type Alias struct{ Name, As string }

// WithItem is one context of a with statement.
type WithItem struct{ Context, Target Expr }

// Handler is an except clause; Type is nil where it takes everything.
type Handler struct {
	Line int
	Type Expr
	Name string
	Body []Stmt
}

// File is a parsed source.
type File struct {
	Name string
	Body []Stmt
}
