// Package verifier has the version of the programs, and repo_test.go, which tests the rules of this repository.
package verifier

import (
	_ "embed"
	"runtime/debug"
	"strings"
)

// versionFile is the version as PEP 440 writes it, which the wheels take from the same file: 0.1.0, or 0.2.0.dev0 before a release.
//
//go:embed VERSION
var versionFile string

// Set by a build: -ldflags "-X github.com/modelverifier/verifier.commit=…". Only tests set the version.
var version, commit string

// Version is the version of every program of this source, such as v0.1.0 or v0.2.0-dev.0. It is in the source, so that make, go build and
// go install give one commit one version, with or without git.
func Version() string {
	if version != "" {
		return version
	}
	return "v" + strings.Replace(strings.TrimSpace(versionFile), ".dev", "-dev.", 1)
}

// Commit is the commit that was built, with +dirty behind it where files had been changed; "" where the build does not know.
func Commit() string {
	if commit != "" {
		return commit
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	set := map[string]string{}
	for _, s := range info.Settings {
		set[s.Key] = s.Value
	}
	if set["vcs.modified"] == "true" {
		return set["vcs.revision"] + "+dirty"
	}
	return set["vcs.revision"]
}
