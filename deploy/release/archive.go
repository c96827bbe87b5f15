package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// entry is a file of an archive.
type entry struct {
	name string
	mode fs.FileMode
	data []byte
}

// archives writes an archive for each program of the command line: what Windows opens is a zip, everything else a tar.
func (r *release) archives() error {
	for _, p := range r.of("verifier") {
		entries, err := r.contents(p)
		if err != nil {
			return err
		}
		pack, ending := packTar, ".tar.gz"
		if p.os == "windows" {
			pack, ending = packZip, ".zip"
		}
		data, err := pack(entries, r.time)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(r.out, r.base(p)+ending), data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// contents are the files of an archive, in one folder that is named like it.
func (r *release) contents(p *program) ([]entry, error) {
	type source struct {
		name, path string
		mode       fs.FileMode
	}
	all := []source{
		{"LICENSE", filepath.Join(r.root, "LICENSE"), 0o644},
		{"README.md", filepath.Join(r.root, "README.md"), 0o644},
		{"licenses.txt", r.licenses, 0o644},
	}
	pages, err := os.ReadDir(r.man) // sorted
	if err != nil {
		return nil, err
	}
	for _, page := range pages {
		all = append(all, source{"man/man1/" + page.Name(), filepath.Join(r.man, page.Name()), 0o644})
	}
	all = append(all, source{p.file(), p.path, 0o755})
	var out []entry
	for _, s := range all {
		data, err := os.ReadFile(s.path)
		if err != nil {
			return nil, err
		}
		out = append(out, entry{r.base(p) + "/" + s.name, s.mode, data})
	}
	return out, nil
}

// packTar writes a tar with nothing in its headers but names, modes, sizes and the time of the commit.
func packTar(entries []entry, at time.Time) ([]byte, error) {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	w := tar.NewWriter(z)
	for _, e := range entries {
		if err := w.WriteHeader(&tar.Header{Name: e.name, Mode: int64(e.mode), Size: int64(len(e.data)), ModTime: at, Format: tar.FormatUSTAR}); err != nil {
			return nil, err
		}
		if _, err := w.Write(e.data); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	err = z.Close()
	return b.Bytes(), err
}

func packZip(entries []entry, at time.Time) ([]byte, error) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, e := range entries {
		h := &zip.FileHeader{Name: e.name, Method: zip.Deflate, Modified: at}
		h.SetMode(e.mode)
		f, err := w.CreateHeader(h)
		if err != nil {
			return nil, err
		}
		if _, err := f.Write(e.data); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return b.Bytes(), err
}

// sums writes SHA256SUMS over everything else, as sha256sum --check reads it.
func (r *release) sums() error {
	names, err := r.published()
	if err != nil {
		return err
	}
	var b bytes.Buffer
	for _, name := range names {
		sum, err := digest(filepath.Join(r.out, name))
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%s  %s\n", sum, name)
	}
	return os.WriteFile(filepath.Join(r.out, "SHA256SUMS"), b.Bytes(), 0o644)
}

// digest is the SHA-256 of a file in hex.
func digest(path string) (string, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:]), nil
}
