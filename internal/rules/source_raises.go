package rules

var _ = define(Rule{
	ID:       "source-raises",
	Title:    "The source raises an exception",
	Severity: Block,
	Doc:      `The constructor or the forward of the PyTorch source ends with this exception before it gives a result. The reader of the source came to the line on values that it knows, every condition on the way was decided by them, and nothing around the line catches the exception. Where any of that is in doubt, the verdict is withheld instead. The message has the file, the line, the statement and the values in it: change one of them, and check the source again. B is the size of the batch.`,
	Source:   "Python: an exception that nothing catches ends the call; compared line by line with PyTorch 1.13 and 2.15",
	Examples: []string{
		"x: input shape=[8]\nm: customModule raises=\"net.py:9: assert d % h == 0: 1 == 0 does not hold\" // want\no: output\nx -> m -> o",
		"x: input shape=[8]\nm: customModule outShape=[4]\no: output\nx -> m -> o",
	},
})
