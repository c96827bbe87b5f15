package infer

import "testing"

// What leads to a detached result alone has no gradient; what something else reads, too, has one.
func TestWhatIsComputedWithoutGradients(t *testing.T) {
	const text = "x: input shape=[8,4]\ne: linear outFeatures=4\na: linear outFeatures=4\nb: relu\nd: detach\ns: add\no: output\n" +
		"x -> e -> a -> b -> d -> s -> o\ne -> s"
	res := walk(t, text)
	want := map[string]bool{"a": true, "b": true, "d": true}
	for i, less := range res.WithoutGradients() {
		if id := res.Nodes[i].Component.ID; less != want[id] {
			t.Errorf("%s is computed without gradients: %v", id, less)
		}
	}
	if walk(t, "x: input shape=[8]\na: linear outFeatures=3\no: output\nx -> a -> o").WithoutGradients() != nil {
		t.Error("a model without a detached result has components without gradients")
	}
}
