package families

import "github.com/modelverifier/verifier/internal/importer/hf/family"

var _ = family.Define(family.Family{Type: "metaclip_2", Default: "MetaClip2Model",
	Classes: clips("MetaClip2", "metaclip_2")})
