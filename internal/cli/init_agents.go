package cli

import (
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
)

// Where agents look: AGENTS.md and .agents/skills are read by most of them, .claude/skills by one that has a folder of its own.
const (
	agentsFile  = "AGENTS.md"
	skillFile   = ".agents/skills/model-verifier/SKILL.md"
	claudeDir   = ".claude"
	claudeSkill = ".claude/skills/model-verifier/SKILL.md"
)

//go:embed agents/AGENTS.md
var agentsSection string

//go:embed agents/SKILL.md
var skillText string

// The marks between which the section of AGENTS.md stands, so that it can be written again.
const sectionBegin, sectionEnd = "<!-- verifier: begin -->\n", "<!-- verifier: end -->\n"

// agentFiles are what init --agents writes.
func agentFiles(_ *cobra.Command, folder string) ([]proposed, error) {
	if info, err := os.Stat(folder); err != nil {
		return nil, err
	} else if !info.IsDir() {
		return nil, fmt.Errorf("%s is no folder", folder)
	}
	old, err := readFound(folder, agentsFile, true)
	if err != nil && !errors.Is(err, fs.ErrNotExist) && exists(filepath.Join(folder, agentsFile)) {
		return nil, err
	}
	text, err := withSection(string(old))
	if err != nil {
		return nil, err
	}
	files := []proposed{{Path: agentsFile, Text: text, merged: true}, {Path: skillFile, Text: skillText}}
	if exists(filepath.Join(folder, claudeDir)) {
		files = append(files, proposed{Path: claudeSkill, Text: skillText})
	}
	return files, nil
}

// withSection is the text of AGENTS.md with our section in place of the one that was there, else at its end.
func withSection(old string) (string, error) {
	section := sectionBegin + agentsSection + sectionEnd
	before, rest, found := strings.Cut(old, sectionBegin)
	if !found {
		if old != "" {
			old = strings.TrimRight(old, "\n") + "\n\n"
		}
		return old + section, nil
	}
	_, after, ended := strings.Cut(rest, sectionEnd)
	if !ended {
		return "", fmt.Errorf("%s has %q without %q behind it: take it out or add the end", agentsFile, strings.TrimSpace(sectionBegin), strings.TrimSpace(sectionEnd))
	}
	return before + section + after, nil
}
