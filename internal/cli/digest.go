package cli

import (
	"encoding/hex"
	"strings"

	"github.com/spf13/cobra"

	"github.com/modelverifier/verifier/internal/attest"
	"github.com/modelverifier/verifier/internal/manifest"
)

// digestBody is what digest prints as JSON.
type digestBody struct {
	Name   string       `json:"name"`
	Kind   string       `json:"kind"`
	SHA256 string       `json:"sha256"`
	Files  []digestFile `json:"files"`
}

type digestFile struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"`
	Bytes  int64  `json:"bytes"`
}

var _ = register(func() *cobra.Command {
	c := &cobra.Command{
		Use:   "digest MODEL",
		Short: "Print the digest of a model as model signing makes it, or those of its files",
		Long: `Prints the SHA-256 over the digests of all files of a model, in the order of their names. It is the
digest that the OpenSSF model signing specification defines, and the first subject of a record. The
.git folder is left out.

--checksums prints a line for each file instead, for sha256sum --check in the model's folder.`,
		Args: cobra.ExactArgs(1),
		RunE: runDigest,
	}
	c.Flags().Bool("checksums", false, "print the digest and name of each file")
	c.Flags().Bool("download", false, "fetch the config and headers of a model that is not in the local cache, never its weights")
	manifestFlags(c)
	return c
})

func runDigest(cmd *cobra.Command, args []string) error {
	ctx, stop := interruptible(cmd)
	defer stop()
	at, err := locate(ctx, cmd, args[0])
	if err != nil {
		return err
	}
	user, _ := cmd.Flags().GetStringArray("ignore-paths")
	ignore, err := manifest.Ignored(append(append([]string{}, manifest.GitPaths...), user...)...)
	if err != nil {
		return err
	}
	allow, _ := cmd.Flags().GetBool("allow-symlinks")
	l, err := at.list(ctx, cmd, ignore, allow)
	if err != nil {
		return err
	}
	defer func() { _ = l.Close() }()
	for _, n := range append(at.notes, l.Notes...) {
		note(cmd, n)
	}
	m, err := l.Hash(ctx)
	if err != nil {
		return err
	}
	root := m.Root(attest.ByName).Digest()
	checksums, _ := cmd.Flags().GetBool("checksums")
	switch {
	case wantsJSON(cmd):
		body := digestBody{at.name, at.kind(), root.SHA256, nil}
		for _, f := range m.Files {
			body.Files = append(body.Files, digestFile{f.Name, hex.EncodeToString(f.Sum[:]), f.Bytes})
		}
		return printJSON(cmd, body)
	case checksums:
		var b strings.Builder
		for _, f := range m.Files {
			b.WriteString(checksum(f))
		}
		return printText(cmd, b.String())
	}
	return printText(cmd, "sha256:"+root.SHA256+"\n")
}

// checksum writes a line as sha256sum does: a name with a backslash or the end of a line in it is escaped, and the line says so.
func checksum(f manifest.File) string {
	name := strings.NewReplacer("\\", "\\\\", "\n", "\\n", "\r", "\\r").Replace(f.Name)
	mark := ""
	if name != f.Name {
		mark = "\\"
	}
	return mark + hex.EncodeToString(f.Sum[:]) + "  " + name + "\n"
}
