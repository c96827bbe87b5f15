package main

import (
	"fmt"
	"strings"

	"github.com/modelverifier/verifier/internal/fence"
)

// secretBytes is how long a file with a secret may be.
const secretBytes = 4 << 10

// secret is the value of an option, or what the file holds that is named in its place. A line's end behind it is no part of it. No error has
// the secret in it.
func secret(value func(string) string, name string) (string, error) {
	file := value(name + "-file")
	if file == "" {
		return value(name), nil
	}
	if value(name) != "" {
		return "", fmt.Errorf("both it and --%s-file are given", name)
	}
	data, err := fence.Read(file, secretBytes)
	if err != nil {
		return "", fmt.Errorf("--%s-file: %w", name, err)
	}
	text := strings.TrimRight(string(data), "\r\n")
	if text == "" {
		return "", fmt.Errorf("--%s-file: %s is empty", name, file)
	}
	return text, nil
}
