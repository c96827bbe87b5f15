package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// barInterval is how often a bar is drawn.
const barInterval = 100 * time.Millisecond

// writeRecord writes a file whole or not at all: to a name beside it, and then in its place. What is no regular file, such as /dev/stdout,
// is written to as it is; a link is followed.
func writeRecord(path string, data []byte, stdout io.Writer) error {
	if path == stdin {
		if _, err := stdout.Write(data); err != nil {
			return fmt.Errorf("%w: %w", errWrite, err)
		}
		return nil
	}
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().IsRegular() {
		return replaceFile(path, data)
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return fmt.Errorf("%w: %w", errWrite, err)
	}
	_, err = f.Write(data)
	if closing := f.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return fmt.Errorf("%w: %w", errWrite, err)
	}
	return nil
}
