package dataset

import (
	"bufio"
	"compress/gzip"
	"encoding/binary"
	"io"
	"io/fs"
	"regexp"
	"strconv"
	"strings"
)

func init() { byExtension[".npy"] = readNPY }

// opened gives a file, unpacked where its name says that it is packed.
func opened(fsys fs.FS, name string) (io.Reader, func() error, error) {
	file, err := fsys.Open(name)
	if err != nil {
		return nil, nil, err
	}
	if !strings.HasSuffix(strings.ToLower(name), ".gz") {
		return bufio.NewReader(file), file.Close, nil
	}
	z, err := gzip.NewReader(file)
	if err != nil {
		_ = file.Close() // as above: nothing was written
		return nil, nil, broken(name, "is not packed with gzip: %v", err)
	}
	return z, file.Close, nil
}

// readIDX reads the header of an array in the format of MNIST and, of labels, which they are.
func readIDX(f *Found, fsys fs.FS, name string) error {
	if isTest(name) {
		return nil
	}
	r, done, err := opened(fsys, name)
	if err != nil {
		return err
	}
	defer func() { _ = done() }() // it was only read
	var magic [4]byte
	if _, err := io.ReadFull(r, magic[:]); err != nil || magic[0] != 0 || magic[1] != 0 || magic[3] == 0 || magic[3] > 4 {
		return broken(name, "is no idx file")
	}
	shape := make([]uint32, magic[3])
	if err := binary.Read(r, binary.BigEndian, shape); err != nil {
		return broken(name, "ends within its header")
	}
	switch {
	case len(shape) == 1 && magic[2] == 8:
		return f.idxLabels(r, name, shape[0])
	case len(shape) == 3:
		f.ImageHeight, f.ImageWidth, f.Channels = int64(shape[1]), int64(shape[2]), 1
		f.addSamples(int64(shape[0]))
	default:
		f.note("%s has %d axes; give what a sample looks like", name, len(shape))
	}
	return nil
}

func (f *Found) idxLabels(r io.Reader, name string, count uint32) error {
	if count > maxText {
		return broken(name, "says that it has %d labels, which is more than are counted", count)
	}
	labels := make([]int64, 256)
	buffer := make([]byte, 1<<16)
	top := -1
	for rest := int64(count); rest > 0; {
		n, err := io.ReadFull(r, buffer[:min(rest, int64(len(buffer)))])
		if err != nil {
			return broken(name, "ends before its last label")
		}
		for _, b := range buffer[:n] {
			labels[b]++
			top = max(top, int(b))
		}
		rest -= int64(n)
	}
	f.ClassCounts = labels[:top+1]
	return nil
}

var npyShape = regexp.MustCompile(`'shape':\s*\(([0-9,\s]*)\)`)

// readNPY reads the header of a NumPy array: (samples, columns), (samples, height, width) or, where it is certain which axis is the
// channels, four axes.
func readNPY(f *Found, fsys fs.FS, name string) error {
	if isTest(name) {
		return nil
	}
	r, done, err := opened(fsys, name)
	if err != nil {
		return err
	}
	defer func() { _ = done() }() // it was only read
	var head [10]byte
	if _, err := io.ReadFull(r, head[:]); err != nil || string(head[:6]) != "\x93NUMPY" {
		return broken(name, "is no NPY file")
	}
	size := int64(binary.LittleEndian.Uint16(head[8:]))
	if head[6] >= 2 {
		var more [2]byte
		if _, err := io.ReadFull(r, more[:]); err != nil {
			return broken(name, "ends within its header")
		}
		size += int64(binary.LittleEndian.Uint16(more[:])) << 16
	}
	if size > 1<<20 {
		return broken(name, "has a header of %d bytes", size)
	}
	text := make([]byte, size)
	if _, err := io.ReadFull(r, text); err != nil {
		return broken(name, "ends within its header")
	}
	found := npyShape.FindSubmatch(text)
	if found == nil {
		return broken(name, "has no shape in its header")
	}
	var shape []int64
	for _, s := range strings.FieldsFunc(string(found[1]), func(r rune) bool { return r == ',' || r == ' ' }) {
		n, err := strconv.ParseInt(s, 10, 64)
		if err != nil {
			return broken(name, "has a shape that cannot be read: %v", err)
		}
		shape = append(shape, n)
	}
	f.shaped(name, shape)
	return nil
}

// shaped reads what a sample is from the axes of an array.
func (f *Found) shaped(name string, shape []int64) {
	channels := func(n int64) bool { return n == 1 || n == 3 || n == 4 }
	switch len(shape) {
	case 1: // labels, or one number a sample: their number is that of the samples, which the other array says too
		return
	case 2:
		f.Features = shape[1]
	case 3:
		f.ImageHeight, f.ImageWidth, f.Channels = shape[1], shape[2], 1
	case 4:
		switch first, last := channels(shape[1]), channels(shape[3]); {
		case first && !last:
			f.Channels, f.ImageHeight, f.ImageWidth = shape[1], shape[2], shape[3]
		case last && !first:
			f.ImageHeight, f.ImageWidth, f.Channels = shape[1], shape[2], shape[3]
		default:
			f.note("%s: which axis is the channels is not certain; give channels and image_size", name)
		}
	default:
		f.note("%s has %d axes; give what a sample looks like", name, len(shape))
		return
	}
	f.addSamples(shape[0])
}
