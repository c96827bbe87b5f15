package mcp

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/modelverifier/verifier/internal/load"
)

// The addresses of resources. A graph or a picture is of the file behind the slash, or of the one that the server was given.
const (
	graphURI   = "verifier://graph"
	pictureURI = "verifier://picture"
	ruleURI    = "verifier://rule/"
	typeURI    = "verifier://type/"
	modelURI   = "verifier://model/"
	typesURI   = "verifier://types"
	rulesURI   = "verifier://rules"
	modelsURI  = "verifier://models"
)

const (
	jsonType = "application/json"
	svgType  = "image/svg+xml"
	textType = "text/plain"
)

func (s *Server) addResources() {
	if s.file != "" {
		s.sdk.AddResource(&sdk.Resource{URI: graphURI, Name: "graph", Title: "The model as a graph", MIMEType: jsonType, Description: "Changes with the file; subscribe to be told."}, s.readResource)
		s.sdk.AddResource(&sdk.Resource{URI: pictureURI, Name: "picture", Title: "The model as a picture", MIMEType: svgType, Description: "Blocks that repeat are drawn once."}, s.readResource)
	}
	for _, t := range []struct{ uri, name, title, kind string }{
		{graphURI + "/{+path}", "graph-of", "The graph of a file inside the root", jsonType}, {pictureURI + "/{+path}", "picture-of", "A picture of a file inside the root", svgType},
		{ruleURI + "{id}", "rule", "The page of a rule", textType}, {typeURI + "{id}", "type", "The page of a component type", textType},
		{modelURI + "{id}", "model", "The graph of a bundled model", jsonType},
	} {
		s.sdk.AddResourceTemplate(&sdk.ResourceTemplate{URITemplate: t.uri, Name: t.name, Title: t.title, MIMEType: t.kind}, s.readResource)
	}
	// One for each list: some hundred pages, each its own resource, would be more than a client wants to read before it asks for one.
	for _, r := range []struct{ uri, name, title string }{
		{typesURI, "types", "Component types with their titles; verifier://type/{id} is the page of one"},
		{rulesURI, "rules", "Rules with their titles; verifier://rule/{id} is the page of one"},
		{modelsURI, "models", "Bundled models, which every tool takes by id; verifier://model/{id} is the graph of one"},
	} {
		s.sdk.AddResource(&sdk.Resource{URI: r.uri, Name: r.name, Title: r.title, MIMEType: textType}, s.readResource)
	}
}

// titles is a list of the catalogue, one entry on a line.
func titles(list []listed) string {
	var b strings.Builder
	for _, l := range list {
		fmt.Fprintf(&b, "%s (%s): %s\n", l.ID, l.Kind, l.Title)
	}
	return b.String()
}

func (s *Server) readResource(ctx context.Context, req *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
	uri := req.Params.URI
	text, kind, err := s.resource(ctx, uri)
	if err != nil {
		s.logFault("resources/read", err)
		return nil, notReadable(uri, err)
	}
	return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: uri, MIMEType: kind, Text: text}}}, nil
}

// notReadable is the protocol's error for a resource that cannot be had, with the sentence that a tool would answer.
func notReadable(uri string, err error) error {
	content, ok := failure(err).Content[0].(*sdk.TextContent)
	if !ok {
		return sdk.ResourceNotFoundError(uri)
	}
	return errors.Join(sdk.ResourceNotFoundError(uri), errors.New(content.Text))
}

func (s *Server) resource(ctx context.Context, uri string) (text, kind string, err error) {
	if id, ok := strings.CutPrefix(uri, ruleURI); ok {
		text, err = rulePage(id)
		return text, textType, err
	}
	if id, ok := strings.CutPrefix(uri, typeURI); ok {
		text, _, err = typePage(id)
		return text, textType, err
	}
	switch uri {
	case typesURI:
		return titles(entries("", "").Types), textType, nil
	case rulesURI:
		return titles(entries(rulesGroup, "").Rules), textType, nil
	case modelsURI:
		return titles(entries(modelsGroup, "").Models), textType, nil
	}
	if id, ok := strings.CutPrefix(uri, modelURI); ok {
		loaded, known := load.Bundled(id)
		if !known {
			return "", "", refuse(codeUnknown, "", fmt.Sprintf("there is no bundled model %q", clip(id)), "verifier://models lists them.")
		}
		text, err = export(loaded.Graph, "graph", false)
		return text, jsonType, err
	}
	file, picture, err := s.fileOf(uri)
	if err != nil {
		return "", "", err
	}
	m, err := s.open(ctx, file)
	if err != nil {
		return "", "", err
	}
	if picture {
		text, err = export(m.graph, "svg", false)
		return text, svgType, err
	}
	text, err = export(m.graph, "graph", false)
	return text, jsonType, err
}

// fileOf is the file that an address of a graph or a picture is of.
func (s *Server) fileOf(uri string) (file string, picture bool, err error) {
	rest, isGraph := strings.CutPrefix(uri, graphURI)
	if !isGraph {
		if rest, picture = strings.CutPrefix(uri, pictureURI); !picture {
			return "", false, refuse(codeUnknown, "", "there is no resource "+clip(uri), "resources/list has all of them.")
		}
	}
	if rest == "" && s.file != "" {
		return s.file, picture, nil
	}
	file, err = url.PathUnescape(strings.TrimPrefix(rest, "/"))
	if err != nil || file == "" || !strings.HasPrefix(rest, "/") {
		return "", false, refuse(codeUnknown, "", "there is no resource "+clip(uri), "Write verifier://graph/ or verifier://picture/ and a path inside the root.")
	}
	return file, picture, nil
}
