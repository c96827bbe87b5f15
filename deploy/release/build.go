package main

import (
	"debug/buildinfo"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// program is a program of one platform.
type program struct {
	name, os, arch string
	path           string
	info           *buildinfo.BuildInfo
}

// file is the name of the program as the platform has it.
func (p *program) file() string {
	if p.os == "windows" {
		return p.name + ".exe"
	}
	return p.name
}

// base is the name of the files of a release that have the program in them, less their endings.
func (r *release) base(p *program) string {
	return strings.Join([]string{p.name, r.number(), p.os, p.arch}, "_")
}

// build builds the command line for every platform, and the server for those that a container runs on.
func (r *release) build() error {
	for _, platform := range r.platforms {
		system, arch, _ := strings.Cut(platform, "/")
		names := []string{"verifier"}
		if system == "linux" && !r.only {
			names = append(names, "verifier-server")
		}
		for _, name := range names {
			p := &program{name: name, os: system, arch: arch}
			if err := r.compile(p); err != nil {
				return err
			}
			r.built = append(r.built, p)
		}
	}
	return nil
}

// compile builds one program. Nothing of the machine goes into it: no path, no build id, no clock, no state of git.
func (r *release) compile(p *program) error {
	fmt.Printf("building %s for %s/%s\n", p.name, p.os, p.arch)
	p.path = filepath.Join(r.work, p.os+"_"+p.arch, p.file())
	// What a user has set for the compiler would be in the bytes: GOAMD64=v3, GOEXPERIMENT.
	env := []string{"GOOS=" + p.os, "GOARCH=" + p.arch, "CGO_ENABLED=0", "GOFLAGS=", "GOAMD64=v1", "GOARM64=v8.0", "GOEXPERIMENT=", "GOFIPS140=off"}
	_, err := r.command(env, goCommand, "build", "-mod=readonly", "-pgo="+r.pgo, "-trimpath", "-buildvcs=false",
		"-ldflags", "-s -w -buildid= -X github.com/modelverifier/verifier.commit="+r.commit, "-o", p.path, "./cmd/"+p.name)
	if err != nil {
		return err
	}
	p.info, err = buildinfo.ReadFile(p.path)
	return err
}

// of lists the programs of a name.
func (r *release) of(name string) []*program {
	var out []*program
	for _, p := range r.built {
		if p.name == name {
			out = append(out, p)
		}
	}
	return out
}

// tool runs a program of the source. It is compiled as what is released is, which Go then has in its cache.
func (r *release) tool(name string, args ...string) error {
	env := []string{"GOFLAGS=", "SOURCE_DATE_EPOCH=" + strconv.FormatInt(r.seconds, 10)}
	_, err := r.command(env, goCommand, append([]string{"run", "-trimpath", "-pgo=off", "-buildvcs=false", name}, args...)...)
	return err
}

// documents writes the licence texts and the manual pages, which every archive has.
func (r *release) documents() error {
	r.licenses, r.man = filepath.Join(r.work, "licenses.txt"), filepath.Join(r.work, "man")
	args := []string{"-out", r.licenses}
	for _, p := range r.of("verifier") {
		args = append(args, p.path)
	}
	if err := r.tool("./deploy/licenses", args...); err != nil {
		return err
	}
	return r.tool("./internal/cli/man", r.man)
}

// images writes the container images of the server.
func (r *release) images() error {
	for _, p := range r.of("verifier-server") {
		licenses := p.path + ".licenses.txt"
		if err := r.tool("./deploy/licenses", "-out", licenses, p.path); err != nil {
			return err
		}
		if err := r.tool("./deploy/image", "-binary", p.path, "-licenses", licenses, "-arch", p.arch,
			"-version", r.version, "-tag", "verifier-server:"+r.version, "-out", filepath.Join(r.out, r.base(p)+".oci.tar")); err != nil {
			return err
		}
	}
	return nil
}

// wheels writes the Python package with the programs of the archives.
func (r *release) wheels() error {
	for _, p := range r.of("verifier") {
		if _, err := r.command(nil, "python3", "python/build_wheel.py", "--out", r.out, "--only", p.os+"/"+p.arch, "--binary", p.path); err != nil {
			return err
		}
	}
	return nil
}

// published lists the files of the release so far, sorted.
func (r *release) published() ([]string, error) {
	entries, err := os.ReadDir(r.out)
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	slices.Sort(out)
	return out, err
}
