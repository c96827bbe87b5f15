package serve

import "github.com/modelverifier/verifier/internal/estimate"

// images follows the tower of a model with the images of one request, once for all changes of a command that are judged.
func (l *launch) images() *estimate.Images {
	if l.request.Images < 1 {
		return nil
	}
	if k := l.known; k != nil {
		return k.images()
	}
	if l.looked == nil {
		l.looked = estimate.ImagesOf(l.walked, estimate.InferOptions{Batch: 1, Precision: "bf16", Images: l.request.Images})
	}
	return l.looked
}

// settleBudget fills in what follows from the parts. The tower looks at the images of a request before the layers of the text run, so that the larger of
// both is what a card has to hold.
func (l *launch) settleBudget(b *budget) {
	if i := l.images(); i != nil {
		b.activations = max(b.activations, i.ActivationBytes)
	}
	b.settle()
}

// imageRules says what the images of a request take, and whether a sequence has room for them.
func (l *launch) imageRules(length int64) {
	i := l.images()
	if i == nil {
		return
	}
	l.out.Images = i.Body()
	l.judged("images-open", "images-length")
	if !i.Known() {
		l.warn("images-open", nil, "%d images in a request: %s", i.Count, i.Open)
	}
	if tokens := i.Tokens(); length > 0 && tokens >= length {
		l.warn("images-length", nil, "%d images take %d tokens of the prompt, %d each, and a sequence has at most %d: such a request is refused", i.Count, tokens, i.TokensEach, length)
	}
}
