package infer

import (
	"strings"
	"testing"
)

// A layer must not be made to fit an axis that is the batch.
func TestALeadingOneThatIsTheBatchIsTheRepair(t *testing.T) {
	const batch = "set shape of x to "
	for name, c := range map[string]struct{ graph, want string }{
		"a normalisation is not made one feature wide": {
			"x: input shape=[1,784]\nf: linear inFeatures=784 outFeatures=128\nn: batchNorm numFeatures=128\no: output\nx -> f -> n -> o",
			"n norm-size-mismatch: " + batch + "[784]"},
		"every layer behind": {
			"x: input shape=[1,3,8,8]\nc: conv2d inChannels=3 outChannels=4 kernelSize=3\nn: batchNorm numFeatures=4\no: output\nx -> c -> n -> o",
			"c rank-mismatch: " + batch + "[3,8,8]"},
		"towers that meet": {
			"x: input shape=[1,8]\nn: batchNorm numFeatures=8\ny: input shape=[1,8]\na: add\no: output\nx -> n -> a\ny -> a -> o",
			"n norm-size-mismatch: " + batch + "[8] and set shape of y to [8]"},
		"only the input that it is about": {
			"x: input shape=[1,8]\nn: batchNorm numFeatures=8\no: output\nx -> n -> o\ny: input shape=[1,6]\nf: linear inFeatures=6 outFeatures=2\np: output\ny -> f -> p",
			"n norm-size-mismatch: " + batch + "[8]"},
		"a channel is no batch": {
			"x: input shape=[1,8,8]\nc: conv2d inChannels=3 outChannels=4 kernelSize=3\no: output\nx -> c -> o",
			"c channel-mismatch: set inChannels of c to 1"},
		"a fault behind it stays a fault of its own": {
			"x: input shape=[1,3,8,8]\nc: conv2d inChannels=3 outChannels=4 kernelSize=3\nf: linear inFeatures=7 outFeatures=2\no: output\nx -> c -> f -> o",
			"c rank-mismatch: " + batch + "[3,8,8]"},
		"what runs with it keeps it": {
			"x: input shape=[1,100]\nc: conv1d inChannels=1 outChannels=4 kernelSize=3\nf: linear inFeatures=7 outFeatures=2\no: output\nx -> c -> f -> o",
			"f linear-in-mismatch: set inFeatures of f to 98"},
		"a wrong number is no batch": {
			"x: input shape=[1,28]\nf: linear inFeatures=30 outFeatures=2\no: output\nx -> f -> o",
			"f linear-in-mismatch: set inFeatures of f to 28"},
	} {
		r := walk(t, c.graph)
		if got := refusals(r); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
		if says := strings.Contains(r.Refusals[0].Message, "which is the batch"); says != strings.Contains(c.want, batch) {
			t.Errorf("%s: the message is %q", name, r.Refusals[0].Message)
		}
	}
}
