package training

// The tabular set is the Wisconsin diagnostic one: real measurements with two classes, large enough that a validation split says
// something (iris and wine have 150 and 178 rows), small enough that it trains in a second anywhere, and inside every scikit-learn.
// Rows 5, 10, 15, … of the file are validated on and never trained on: the rows are sorted by nothing that tells the class.
var _ = define(Dataset{
	Name:      "tabular",
	Title:     "Breast Cancer Wisconsin (Diagnostic): 30 measurements of cell nuclei, malignant or benign",
	Shape:     []int64{30},
	Classes:   2,
	Train:     456,
	Val:       113,
	Files:     []File{{"breast_cancer.csv", 119_913, "fed3eb72d0575ef6192293f5093c6e801b1476b577d0386bf4455504522172ed"}}, // as scikit-learn ships it: counts and class names, then rows
	Origins:   []Origin{{URL: "https://raw.githubusercontent.com/scikit-learn/scikit-learn/1.2.1/sklearn/datasets/data/"}},
	Installed: []string{"/usr/lib/python3/dist-packages/sklearn/datasets/data"}, // of Debian's python3-sklearn
	Source:    "Wolberg, Street and Mangasarian 1995, UCI Machine Learning Repository, doi.org/10.24432/C5DW2B; the file is scikit-learn's",
	Terms:     "Creative Commons Attribution 4.0 (UCI)",
})
