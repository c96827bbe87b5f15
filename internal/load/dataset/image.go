package dataset

import (
	"image"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// How many images are opened: a folder of one size shows it soon.
const (
	measured         = 512
	measuredPerClass = 16
)

// isImage reports whether a file is one that torchvision's ImageFolder takes (IMG_EXTENSIONS), or a GIF.
func isImage(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".png", ".jpg", ".jpeg", ".gif", ".bmp", ".ppm", ".pgm", ".webp", ".tif", ".tiff":
		return true
	}
	return false
}

// tally counts the images of a folder by class, which is the outermost folder below the split, as torchvision's ImageFolder has it.
type tally struct {
	count   int64
	byClass map[string]int64
	opened  int
	sizes   []image.Point
	colours []int64 // channels that the files have
}

func newTally() *tally { return &tally{byClass: map[string]int64{}} }

// classOf is the folder below that of the training split, empty for none.
func classOf(name string) string {
	folders := strings.Split(path.Dir(name), "/")
	for i := len(folders) - 1; i >= 0; i-- {
		switch strings.ToLower(folders[i]) {
		case ".", "train", "training", "images":
			folders = folders[i+1:]
			i = 0
		}
	}
	if len(folders) == 0 {
		return ""
	}
	return folders[0]
}

func (t *tally) add(fsys fs.FS, name string) error {
	if isTest(path.Dir(name)) {
		return nil
	}
	t.count++
	class := classOf(name)
	t.byClass[class]++
	if t.opened >= measured || t.byClass[class] > measuredPerClass {
		return nil
	}
	t.opened++
	file, err := fsys.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	p, err := readPicture(file)
	if err != nil {
		return broken(name, "is no image that can be read: %v", err)
	}
	if size := (image.Point{X: p.width, Y: p.height}); !slices.Contains(t.sizes, size) {
		t.sizes = append(t.sizes, size)
	}
	if !slices.Contains(t.colours, p.channels) {
		t.colours = append(t.colours, p.channels)
	}
	return nil
}

// into says what the images are. Colour images have three channels in every loader; of others that depends on the loader: torchvision's
// makes them colour images, PIL alone does not.
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
	if len(t.colours) == 1 && t.colours[0] == 3 {
		f.Channels = 3
	} else {
		slices.Sort(t.colours)
		f.note("the first %d images have %s; give channels as the loader makes them", t.opened, channelWords(t.colours))
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

// channelWords lists numbers of channels; 0 stands for a palette.
func channelWords(list []int64) string {
	words := make([]string, len(list))
	for i, n := range list {
		switch n {
		case 0:
			words[i] = "a palette"
		case 1:
			words[i] = "1 channel"
		default:
			words[i] = strconv.FormatInt(n, 10) + " channels"
		}
	}
	return strings.Join(words, " or ")
}
