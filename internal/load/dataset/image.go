package dataset

import (
	"image"
	_ "image/gif" // the formats that can be decoded
	_ "image/jpeg"
	_ "image/png"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// measured is how many images are opened: a folder of one size shows it at once.
const measured = 64

func isImage(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".png", ".jpg", ".jpeg", ".gif":
		return true
	}
	return false
}

// tally counts the images of a folder by class, which is the folder that they lie in, as torchvision's ImageFolder has it.
type tally struct {
	count   int64
	byClass map[string]int64
	opened  int
	sizes   []image.Point
}

func newTally() *tally { return &tally{byClass: map[string]int64{}} }

func (t *tally) add(fsys fs.FS, name string) error {
	if isTest(path.Dir(name)) {
		return nil
	}
	t.count++
	class := path.Base(path.Dir(name))
	if class == "." || strings.EqualFold(class, "train") || strings.EqualFold(class, "images") {
		class = ""
	}
	t.byClass[class]++
	if t.opened >= measured {
		return nil
	}
	t.opened++
	file, err := fsys.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	c, _, err := image.DecodeConfig(file)
	if err != nil {
		return broken(name, "is no image that can be read: %v", err)
	}
	if size := (image.Point{X: c.Width, Y: c.Height}); !slices.Contains(t.sizes, size) {
		t.sizes = append(t.sizes, size)
	}
	return nil
}

// into says what the images are. Their channels are not: loaders turn them into colour images unless told otherwise.
func (t *tally) into(f *Found) {
	if t.count == 0 {
		return
	}
	f.addSamples(t.count)
	if len(t.sizes) == 1 {
		f.ImageWidth, f.ImageHeight = int64(t.sizes[0].X), int64(t.sizes[0].Y)
	} else {
		f.note("the first %d images have %d sizes; give image_size after resizing", t.opened, len(t.sizes))
	}
	if t.byClass[""] > 0 || len(t.byClass) < 2 {
		return
	}
	var names []string
	for name := range t.byClass {
		names = append(names, name)
	}
	slices.Sort(names)
	f.ClassCounts = nil
	for _, name := range names {
		f.ClassCounts = append(f.ClassCounts, t.byClass[name])
	}
}
