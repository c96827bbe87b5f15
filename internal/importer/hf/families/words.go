// Package families has the model types of transformers, one file each: it defines a family.Family, whose functions
// say with a build.Build what the model consists of. What several of them share and that is a thing of its own is in
// packages nn, vision, audio and stack; what is one family's and that others borrow stays in its file.
//
// To add a model type, write its file, and its class defaults by truth/hf_defaults.py. Nothing else is edited.
package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/config"
)

// The words of every file: a place in the model that is built, what flows, parameters, and what config.json says.
type (
	Build  = build.Build
	Node   = build.Node
	Args   = build.Args
	Config = config.Config
)
