// Package verifier holds nothing but repo_test.go, which keeps the rules of this repository.
package verifier
