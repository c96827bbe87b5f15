// Command image writes the container image of verifier-server without a container daemon and without a base image: the
// static binary, a user, and the settings of deploy/Dockerfile, as one tar that is an OCI layout and a Docker archive at once.
//
// It must not know the clock or the machine: the same binary gives the same bytes.
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	binary := flag.String("binary", "bin/image/verifier-server", "the static binary")
	licenses := flag.String("licenses", "bin/image/licenses.txt", "the licence texts of what is linked into the binary")
	out := flag.String("out", "bin/verifier-server.tar", "the image, for docker load, podman load or skopeo")
	tag := flag.String("tag", "verifier-server:latest", "the name that the image is loaded under")
	arch := flag.String("arch", "amd64", "the processor that the binary is for")
	version := flag.String("version", "dev", "what the label says")
	flag.Parse()
	if err := run(*binary, *licenses, *out, image{tag: *tag, arch: *arch, version: *version}); err != nil {
		fmt.Fprintln(os.Stderr, "image:", err)
		os.Exit(1)
	}
}

func run(binary, licenses, out string, img image) error {
	data, err := os.ReadFile(binary)
	if err != nil {
		return err
	}
	terms, err := os.ReadFile(licenses)
	if err != nil {
		return err
	}
	archive, id, err := img.pack(data, terms)
	if err != nil {
		return err
	}
	if err := os.WriteFile(out, archive, 0o644); err != nil {
		return err
	}
	fmt.Printf("%s: %d bytes, %s\n", out, len(archive), id)
	return nil
}
