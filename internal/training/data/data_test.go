package data

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/training"
)

// small is a dataset of two short files, as a publisher has it at an address.
func small(origins ...training.Origin) (*training.Dataset, map[string][]byte) {
	files := map[string][]byte{"a.bin": []byte("the first file"), "b.bin": bytes.Repeat([]byte("b"), 5000)}
	d := &training.Dataset{Name: "small", Origins: origins}
	for _, name := range []string{"a.bin", "b.bin"} {
		d.Files = append(d.Files, file(name, files[name]))
	}
	return d, files
}

func file(name string, content []byte) training.File {
	sum := sha256.Sum256(content)
	return training.File{Name: name, Bytes: int64(len(content)), SHA256: hex.EncodeToString(sum[:])}
}

func write(t *testing.T, path string, content []byte) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, content, 0o644)); err != nil {
		t.Fatal(err)
	}
}

func zipped(content []byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write(content)
	_ = z.Close()
	return b.Bytes()
}

func archive(t *testing.T, files map[string][]byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for name, content := range files {
		if err := w.WriteHeader(&tar.Header{Name: name, Size: int64(len(content)), Mode: 0o600, Typeflag: tar.TypeReg}); err != nil {
			t.Fatal(err)
		}
		_, _ = w.Write(content)
	}
	_ = w.Close()
	return zipped(b.Bytes())
}

func TestFilesAreTakenHoweverTheyArePacked(t *testing.T) {
	d, files := small(training.Origin{URL: "https://example.com/small.tar.gz"})
	for name, fill := range map[string]func(dir string){
		"plain": func(dir string) {
			write(t, dir+"/a.bin", files["a.bin"])
			write(t, dir+"/deep/er/b.bin", files["b.bin"])
		},
		"gzip": func(dir string) {
			write(t, dir+"/a.bin.gz", zipped(files["a.bin"]))
			write(t, dir+"/b.bin", files["b.bin"])
		},
		"archive": func(dir string) {
			write(t, dir+"/x/small.tar.gz", archive(t, map[string][]byte{"in/a.bin": files["a.bin"], "../b.bin": files["b.bin"], "c": nil}))
		},
	} {
		t.Run(name, func(t *testing.T) {
			from, to := t.TempDir(), t.TempDir()
			fill(from)
			var last Progress
			if err := Take(t.Context(), d, from, to, func(p Progress) { last = p }); err != nil {
				t.Fatal(err)
			}
			paths, err := Verify(t.Context(), d, to)
			if err != nil || len(paths) != 2 {
				t.Fatalf("%v, %v", paths, err)
			}
			if last.Done != last.All || last.All != 5014 {
				t.Errorf("the last progress is %+v", last)
			}
		})
	}
}

func TestAFlippedByteIsNotUsed(t *testing.T) {
	d, files := small()
	from, to := t.TempDir(), t.TempDir()
	bad := bytes.Clone(files["b.bin"])
	bad[4000] ^= 1
	write(t, from+"/a.bin", files["a.bin"])
	write(t, from+"/b.bin", bad)
	err := Take(t.Context(), d, from, to, nil)
	if altered := (*Altered)(nil); !errors.As(err, &altered) || altered.Want != d.Files[1] || altered.Found != file("b.bin", bad) {
		t.Fatal(err)
	}
	for _, part := range []string{"b.bin", d.Files[1].SHA256, file("b.bin", bad).SHA256} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q does not say %s", err, part)
		}
	}
	left, _ := filepath.Glob(to + "/small/*b.bin*")
	if hidden, _ := filepath.Glob(to + "/small/.b.bin*"); len(left)+len(hidden) > 0 {
		t.Errorf("left behind: %v %v", left, hidden)
	}
	write(t, to+"/small/b.bin", bad)
	if _, err := Verify(t.Context(), d, to); !errors.As(err, new(*Altered)) {
		t.Errorf("verified: %v", err)
	}
	write(t, to+"/small/b.bin", bad[:100])
	if _, err := Verify(t.Context(), d, to); err == nil || !strings.Contains(err.Error(), "has 100 bytes, and b.bin as it was published has 5,000") {
		t.Errorf("verified: %v", err)
	}
}

func TestMissingFilesAreNamed(t *testing.T) {
	d, files := small()
	from := t.TempDir()
	write(t, from+"/a.bin", files["a.bin"])
	if err := Take(t.Context(), d, from, t.TempDir(), nil); err == nil || !strings.Contains(err.Error(), "holds no b.bin") {
		t.Error(err)
	}
	_, err := Verify(t.Context(), d, t.TempDir())
	if lacks := (*Missing)(nil); !errors.As(err, &lacks) || len(lacks.Files) != 2 {
		t.Error(err)
	}
}

func TestPublishersAreAskedInTheirOrder(t *testing.T) {
	_, files := small()
	asked := []string{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.Path)
		switch r.URL.Path {
		case "/half/a.bin.gz":
			_, _ = w.Write(zipped(files["a.bin"]))
		case "/half/b.bin.gz": // cut off, as by a connection that breaks
			w.Header().Set("Content-Length", "5000")
			_, _ = w.Write(zipped(files["b.bin"])[:12])
		case "/wrong/b.bin":
			_, _ = w.Write([]byte("<html>moved</html>"))
		case "/all.tar.gz":
			_, _ = w.Write(archive(t, map[string][]byte{"a.bin": files["a.bin"], "b.bin": files["b.bin"]}))
		default:
			http.NotFound(w, r)
		}
	}))
	defer server.Close()
	to := t.TempDir()
	d, _ := small(training.Origin{URL: server.URL + "/half/", Suffix: ".gz"}, training.Origin{URL: server.URL + "/wrong/"}, training.Origin{URL: server.URL + "/none/"})
	err := Fetch(t.Context(), d, to, nil)
	if err == nil || !strings.Contains(err.Error(), "/none/b.bin: 404") || !strings.Contains(err.Error(), "/wrong/b.bin has 18 bytes") {
		t.Fatal(err)
	}
	if got := strings.Join(asked, " "); got != "/half/a.bin.gz /half/b.bin.gz /wrong/b.bin /none/b.bin" {
		t.Errorf("asked for %s", got)
	}
	d.Origins = append(d.Origins, training.Origin{URL: server.URL + "/all.tar.gz"})
	if err := Fetch(t.Context(), d, to, nil); err != nil {
		t.Fatal(err)
	}
}

func TestPicturesBecomeTheBatchAgain(t *testing.T) {
	img := image.NewRGBA(image.Rect(0, 0, pictureWidth, pictureHeight))
	labels := make([]int, 5*pictureHeight)
	var want []byte
	for y := range pictureHeight {
		labels[pictureHeight+y] = y % 10 // of the second batch
		want = append(want, byte(y%10))
		for channel := range 3 {
			for x := range pictureWidth {
				want = append(want, byte(x*7+y*(channel+1)))
			}
		}
		for x := range pictureWidth {
			img.Set(x, y, color.RGBA{byte(x*7 + y), byte(x*7 + 2*y), byte(x*7 + 3*y), 255})
		}
	}
	from := t.TempDir()
	var b bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	write(t, from+"/package/data_batch_2.png", b.Bytes())
	text, _ := json.Marshal(labels)
	write(t, from+"/package/train_lables.json", text)
	d := &training.Dataset{Name: "cifar10", Files: []training.File{file("data_batch_2.bin", want)}}
	if err := Take(t.Context(), d, from, t.TempDir(), nil); err != nil {
		t.Fatal(err)
	}
	write(t, from+"/package/train_lables.json", []byte("[1,2,300]"))
	if err := Take(t.Context(), d, from, t.TempDir(), nil); err == nil || !strings.Contains(err.Error(), "no label from 0 to 9 for image 10000") {
		t.Error(err)
	}
}

func TestEveryDatasetIsComplete(t *testing.T) {
	for _, d := range training.Datasets() {
		if len(d.Files) == 0 || len(d.Origins) == 0 || d.Source == "" || d.Terms == "" || d.Title == "" || d.Train < d.Val || d.Classes < 2 {
			t.Errorf("%s lacks something", d.Name)
		}
		for _, f := range d.Files {
			if raw, err := hex.DecodeString(f.SHA256); err != nil || len(raw) != sha256.Size || f.Bytes <= 0 {
				t.Errorf("%s: %s has no digest or size", d.Name, f.Name)
			}
		}
	}
}

func TestAPackageIsUnpackedIntoOneFolder(t *testing.T) {
	archive := filepath.Join(t.TempDir(), "a.tgz")
	f, err := os.Create(archive)
	if err != nil {
		t.Fatal(err)
	}
	z := gzip.NewWriter(f)
	w := tar.NewWriter(z)
	for _, h := range []tar.Header{
		{Name: "package/data/a", Typeflag: tar.TypeReg, Size: 1}, {Name: "../../b", Typeflag: tar.TypeReg, Size: 1},
		{Name: "package/link", Typeflag: tar.TypeSymlink, Linkname: "/etc/passwd"},
	} {
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if h.Size == 1 {
			if _, err := w.Write([]byte{'x'}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := errors.Join(w.Close(), z.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(t.TempDir(), "files")
	if err := unpack(archive, to); err != nil {
		t.Fatal(err)
	}
	var names []string
	entries, err := os.ReadDir(to)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if err != nil || strings.Join(names, " ") != "a b" {
		t.Errorf("unpacked %v, %v", names, err)
	}
}
