//go:build !unix

package fence

// nonblock is nothing where a name in a folder is never that of a pipe.
const nonblock = 0
