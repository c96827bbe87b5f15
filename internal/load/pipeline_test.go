package load

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestIndexesOfPipelinesAreRead: parts in the order of their names, without settings and parts that are null; names that lead elsewhere are refused.
func TestIndexesOfPipelinesAreRead(t *testing.T) {
	dir := t.TempDir()
	write := func(text string) {
		if err := os.WriteFile(filepath.Join(dir, indexFile), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if IsPipeline(dir) {
		t.Error("an empty folder is a pipeline")
	}
	write(`{"_class_name": "P", "_diffusers_version": "0.30.3", "requires_safety_checker": true, "unet": ["diffusers", "UNet2DConditionModel"],
		"scheduler": ["diffusers", "PNDMScheduler"], "image_encoder": [null, null]}`)
	got, err := OpenIndex(dir)
	if err != nil || !IsPipeline(dir) {
		t.Fatal(err)
	}
	if got.Class != "P" || len(got.Parts) != 2 || got.Parts[0].Name != "scheduler" || !got.Parts[0].Weightless() || got.Parts[1].Weightless() {
		t.Errorf("%+v", got)
	}
	if _, err := PartFolder(dir, got.Parts[1]); err == nil || !strings.Contains(err.Error(), "is not there") {
		t.Errorf("%v", err)
	}
	if err := os.Symlink(t.TempDir(), filepath.Join(dir, "unet")); err != nil {
		t.Fatal(err)
	}
	if _, err := PartFolder(dir, got.Parts[1]); err == nil || !strings.Contains(err.Error(), "is no folder") {
		t.Errorf("a link is followed: %v", err)
	}
	for text, want := range map[string]string{
		`{"../x": ["diffusers", "AutoencoderKL"]}`: "no name of a part's folder",
		`{"_class_name": "P"}`:                     "names 0 parts",
		`{"_class_name": 3}`:                       "must be the name",
		`{`:                                        "unexpected end",
	} {
		write(text)
		if _, err := OpenIndex(dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
