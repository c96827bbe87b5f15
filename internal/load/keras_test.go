package load

import (
	"archive/zip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/hub"
)

const kerasModel = `{"module":"keras","class_name":"Sequential","config":{"name":"small","layers":[
	{"class_name":"InputLayer","config":{"batch_shape":[null,6],"name":"x"}},
	{"class_name":"Dense","config":{"name":"d","units":3}}]}}`

// What model.to_json() writes and the archive that holds it are one model, told by what is in them and by the ending.
func TestKerasIsReadAsTextAndFromAnArchive(t *testing.T) {
	dir := t.TempDir()
	text, archive := filepath.Join(dir, "model.json"), filepath.Join(dir, "model.keras")
	if err := os.WriteFile(text, []byte(kerasModel), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(archive)
	if err != nil {
		t.Fatal(err)
	}
	z := zip.NewWriter(f)
	w, err := z.Create("config.json")
	if err == nil {
		_, err = w.Write([]byte(kerasModel))
	}
	if err == nil {
		err = z.Close()
	}
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{text, archive} {
		m, err := Open(t.Context(), path, Options{Limits: graph.LocalLimits})
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if m.Kind != hub.Keras || m.Type != "keras.Sequential" || len(m.Graph.Components) != 3 {
			t.Errorf("%s: a %s %s of %d components", path, m.Kind, m.Type, len(m.Graph.Components))
		}
	}
	broken := filepath.Join(dir, "broken.keras")
	if err := os.WriteFile(broken, []byte("PK none"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), broken, Options{Limits: graph.LocalLimits}); err == nil || !strings.Contains(err.Error(), "is no .keras file") {
		t.Errorf("%v", err)
	}
}
