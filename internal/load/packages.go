package load

import (
	"io/fs"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/fence"
)

// sitePackages opens a folder of installed packages. done lets go of it.
func sitePackages(dir string) (packages fs.FS, done func(), err error) {
	if dir == "" {
		return nil, func() {}, nil
	}
	d, err := fence.Named(dir)
	if err != nil {
		return nil, nil, action.Errorf(action.CodeNotFound, "--site-packages", "is %q, which is no folder that can be read: give the one that pip installs packages into", dir)
	}
	return d, func() { _ = d.Close() }, nil // everything was read; what closing says changes nothing
}
