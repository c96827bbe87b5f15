package load

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/fence/fencetest"
	"github.com/modelverifier/verifier/internal/graph"
)

// TestReadsPackagesBesideInTheRepository reads sources that import what lies beside them in their repository, as programs that are started at its
// top do. Outside of a repository nothing but the file's own package, or folder, is read.
func TestReadsPackagesBesideInTheRepository(t *testing.T) {
	net := func(module string) string { return strings.Replace(usesIt, "%s", module, 1) }
	top := fencetest.Lay(t, map[string]string{
		"repo/.git": "gitdir: x", "repo/utils/head.py": secretSource, "repo/models/net.py": net("utils.head"), "repo/models/up.py": net("..utils.head"),
		"repo/pkg/__init__.py": "", "repo/pkg/net.py": net("utils.head"), "repo/src/deep/models/net.py": net("common.head"), "repo/src/common/head.py": secretSource,
		"repo/models/none.py": net("elsewhere.head"), "elsewhere/head.py": secretSource,
		"alone/utils/head.py": secretSource, "alone/models/net.py": net("utils.head"),
	})
	for name, reads := range map[string]bool{
		"repo/models/net.py": true, "repo/models/up.py": true, "repo/pkg/net.py": true, "repo/src/deep/models/net.py": true,
		"repo/models/none.py": false, "alone/models/net.py": false,
	} {
		ref := filepath.Join(top, filepath.FromSlash(name)) + ":Net"
		m, err := Open(context.Background(), ref, Options{Limits: graph.LocalLimits, Inputs: []string{"4"}})
		if reads != (err == nil && m.Params == 15) {
			t.Errorf("%s: %+v, %v", name, m, err)
		}
	}
}
