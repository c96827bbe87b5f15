//go:build !unix

package hub

import "errors"

func mkfifo(string) error { return errors.ErrUnsupported }
