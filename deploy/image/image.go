package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"
)

// image is what distinguishes one image from another.
type image struct{ tag, arch, version string }

// user is the one that distroless images call nonroot.
const user = "65532:65532"

// descriptor names a blob by its digest, as the OCI image specification (v1.1, descriptor.md) has it.
type descriptor struct {
	MediaType   string            `json:"mediaType"`
	Digest      string            `json:"digest"`
	Size        int               `json:"size"`
	Platform    *platform         `json:"platform,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
}

type platform struct {
	Architecture string `json:"architecture"`
	OS           string `json:"os"`
}

// settings are what a container is started with (OCI config.md; Healthcheck is Docker's addition).
type settings struct {
	User         string
	ExposedPorts map[string]struct{}
	Env          []string
	Entrypoint   []string
	WorkingDir   string
	Labels       map[string]string
	Healthcheck  healthcheck
}

type healthcheck struct {
	Test                           []string
	Interval, Timeout, StartPeriod time.Duration
	Retries                        int
}

type config struct {
	Created      string   `json:"created"`
	Architecture string   `json:"architecture"`
	OS           string   `json:"os"`
	Config       settings `json:"config"`
	RootFS       rootFS   `json:"rootfs"`
	History      []entry  `json:"history"`
}

type rootFS struct {
	Type    string   `json:"type"`
	DiffIDs []string `json:"diff_ids"`
}

type entry struct {
	Created   string `json:"created"`
	CreatedBy string `json:"created_by"`
}

type manifest struct {
	SchemaVersion int          `json:"schemaVersion"`
	MediaType     string       `json:"mediaType"`
	Config        descriptor   `json:"config"`
	Layers        []descriptor `json:"layers"`
}

type index struct {
	SchemaVersion int          `json:"schemaVersion"`
	MediaType     string       `json:"mediaType"`
	Manifests     []descriptor `json:"manifests"`
}

// dockerEntry is an item of manifest.json, which docker load has read since before OCI.
type dockerEntry struct {
	Config   string
	RepoTags []string
	Layers   []string
}

// epoch stands for every time in the image.
const epoch = "1970-01-01T00:00:00Z"

func (img image) settings() settings {
	return settings{
		User:         user,
		ExposedPorts: map[string]struct{}{"8080/tcp": {}},
		Env:          []string{"VERIFIER_ADDR=0.0.0.0:8080", "GOMEMLIMIT=128MiB"},
		Entrypoint:   []string{"/verifier-server"},
		WorkingDir:   "/",
		Labels: map[string]string{
			"org.opencontainers.image.title":    "verifier-server",
			"org.opencontainers.image.version":  img.version,
			"org.opencontainers.image.licenses": "Apache-2.0",
		},
		Healthcheck: healthcheck{[]string{"CMD", "/verifier-server", "--health"}, 10 * time.Second, 3 * time.Second, 2 * time.Second, 3},
	}
}

// pack returns the archive and the digest of the image's manifest. The layer is compressed with Go's own gzip, whose bytes,
// as those of the binary, are the same for one version of Go; there are tools that read no other layers.
func (img image) pack(binary, licenses []byte) (archive []byte, id string, err error) {
	layer, err := writeTar([]file{{"verifier-server", binary, 0o755}, {"licenses.txt", licenses, 0o644}})
	if err != nil {
		return nil, "", err
	}
	b := &blobs{}
	packed, err := compress(layer)
	if err != nil {
		return nil, "", err
	}
	layerAt := b.add("application/vnd.oci.image.layer.v1.tar+gzip", packed)
	configAt := b.addJSON("application/vnd.oci.image.config.v1+json", config{
		epoch, img.arch, "linux", img.settings(), rootFS{"layers", []string{digest(layer)}}, []entry{{epoch, "deploy/image"}},
	})
	manifestAt := b.addJSON("application/vnd.oci.image.manifest.v1+json", manifest{2, "application/vnd.oci.image.manifest.v1+json", configAt, []descriptor{layerAt}})
	manifestAt.Platform = &platform{img.arch, "linux"}
	manifestAt.Annotations = map[string]string{"io.containerd.image.name": img.tag, "org.opencontainers.image.ref.name": img.tag}
	b.file("index.json", index{2, "application/vnd.oci.image.index.v1+json", []descriptor{manifestAt}})
	b.file("manifest.json", []dockerEntry{{path(configAt), []string{img.tag}, []string{path(layerAt)}}})
	b.file("oci-layout", map[string]string{"imageLayoutVersion": "1.0.0"})
	if b.err != nil {
		return nil, "", b.err
	}
	archive, err = writeTar(b.files)
	return archive, manifestAt.Digest, err
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// compress writes a gzip stream that has no name and no date.
func compress(data []byte) ([]byte, error) {
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(data); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

type file struct {
	name string
	data []byte
	mode int64
}

// blobs collects the files of the archive. The first error is kept.
type blobs struct {
	files []file
	err   error
}

func path(d descriptor) string { return "blobs/sha256/" + d.Digest[len("sha256:"):] }

func (b *blobs) add(mediaType string, data []byte) descriptor {
	d := descriptor{MediaType: mediaType, Digest: digest(data), Size: len(data)}
	b.files = append(b.files, file{path(d), data, 0o644})
	return d
}

func (b *blobs) addJSON(mediaType string, value any) descriptor {
	return b.add(mediaType, b.encode(value))
}

func (b *blobs) file(name string, value any) {
	b.files = append(b.files, file{name, b.encode(value), 0o644})
}

func (b *blobs) encode(value any) []byte {
	data, err := json.Marshal(value) // members of maps come sorted
	if b.err == nil {
		b.err = err
	}
	return data
}

// writeTar writes files that belong to root and have no date.
func writeTar(files []file) ([]byte, error) {
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, f := range files {
		h := &tar.Header{Typeflag: tar.TypeReg, Name: f.name, Size: int64(len(f.data)), Mode: f.mode, ModTime: time.Unix(0, 0), Format: tar.FormatUSTAR}
		if err := w.WriteHeader(h); err != nil {
			return nil, err
		}
		if _, err := w.Write(f.data); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}
