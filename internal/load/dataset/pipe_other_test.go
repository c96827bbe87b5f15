//go:build !unix

package dataset

import "errors"

func makePipe(string) error { return errors.ErrUnsupported }
