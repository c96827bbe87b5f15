package httpapi

import (
	"errors"
	"fmt"
	"net"
	"strconv"
	"syscall"
)

// AddressError is an address at which the program cannot listen. Whoever starts it can name another, so this is wrong usage.
type AddressError struct {
	Addr string
	Err  error
}

func (e *AddressError) Error() string {
	return fmt.Sprintf("cannot listen on %s: %s; choose another with --addr or VERIFIER_ADDR", e.Addr, e.why())
}

func (e *AddressError) Unwrap() error { return e.Err }

func (e *AddressError) why() string {
	switch {
	case errors.Is(e.Err, syscall.EADDRINUSE):
		return "the address is in use by another program"
	case errors.Is(e.Err, syscall.EADDRNOTAVAIL):
		return "this machine does not have that address"
	case errors.Is(e.Err, syscall.EACCES):
		return "this user may not listen there"
	}
	if form := (*net.AddrError)(nil); errors.As(e.Err, &form) {
		return form.Err + ", it must be HOST:PORT" // without the address a second time
	}
	if op := (*net.OpError)(nil); errors.As(e.Err, &op) {
		return op.Err.Error() // without "listen tcp"
	}
	return e.Err.Error()
}

// Instead is an address to propose: the port after one that is taken.
func (e *AddressError) Instead() string {
	host, port, err := net.SplitHostPort(e.Addr)
	n, bad := strconv.Atoi(port)
	if err != nil || bad != nil || n < 1 || n >= 65535 || !errors.Is(e.Err, syscall.EADDRINUSE) {
		return "HOST:PORT"
	}
	return net.JoinHostPort(host, strconv.Itoa(n+1))
}
