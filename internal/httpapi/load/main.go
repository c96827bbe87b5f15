// Command load puts a bounded load on a real verifier-server over loopback, and the same on an empty handler that reads and
// writes bodies of the same sizes, so that the two can be compared in one run on the same cores. With -url it puts a load on a service that
// runs elsewhere. It is for measuring only.
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/modelverifier/verifier/internal/httpapi/load/drive"
)

func main() {
	server := flag.String("server", "bin/verifier-server", "the program to measure")
	action := flag.String("action", "check", "what to ask for")
	only := flag.String("only", "", "measure the models whose name has this in it")
	scale := flag.Float64("scale", 1, "of the number of requests")
	empty := flag.String("empty", "", "answer with this many bytes at this address, as ADDR,N; used by the program itself")
	url := flag.String("url", "", "measure a service that runs there, such as https://staging.example.org, in the place of one of our own")
	keyFile := flag.String("key-file", "", "file with a key of that service; left out: it is the container")
	rate := flag.Float64("rate", 50, "requests a second, with -url")
	lasts := flag.Duration("for", time.Minute, "how long, with -url")
	flag.Parse()
	if *empty != "" {
		drive.ServeEmpty(*empty)
		return
	}
	if *url != "" {
		path := "/v1/" + *action
		if *keyFile != "" {
			path = "/api/v1/" + *action
		}
		r, err := newRemote(*url, *keyFile, *rate, *lasts)
		if err == nil {
			err = r.run(path)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "load:", err)
			os.Exit(1)
		}
		return
	}
	fmt.Printf("%s over loopback, client and server on the same %d processors, log lines to /dev/null\n", "/v1/"+*action, runtime.NumCPU())
	fmt.Printf("%-32s %8s %8s %10s %9s %9s %9s %9s %8s\n", "model", "request", "answer", "a second", "p50", "p99", "half p50", "half p99", "peak MB")
	for _, c := range cases() {
		if !strings.Contains(c.name, *only) {
			continue
		}
		if err := c.measure(*server, "/v1/"+*action, *scale); err != nil {
			fmt.Fprintln(os.Stderr, "load:", c.name+":", err)
			os.Exit(1)
		}
	}
}
