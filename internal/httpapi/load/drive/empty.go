package drive

import (
	"fmt"
	"net/http"
	"os"
	"strings"
)

// ServeEmpty answers every request with the same bytes, after reading its body: what net/http takes by itself. The spec is ADDR,N.
func ServeEmpty(spec string) {
	var n int
	addr, size, _ := strings.Cut(spec, ",")
	if _, err := fmt.Sscan(size, &n); err != nil {
		panic(err)
	}
	answer := []byte(strings.Repeat("x", n))
	err := http.ListenAndServe(addr, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		buf := make([]byte, 4096)
		for {
			if _, err := r.Body.Read(buf); err != nil {
				break
			}
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", size)
		_, _ = w.Write(answer)
	}))
	fmt.Fprintln(os.Stderr, err)
}
