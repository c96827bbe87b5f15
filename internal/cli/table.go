package cli

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// numeric are the columns of numbers, in any table: they are set to the right, and never broken.
var numeric = []string{"weights", "share", "FLOPs", "saved", "#", "memory", "time", "cost"}

// grid is a table in the one style of the command line. It is as wide as a terminal at the most: the widest columns of text are
// broken until it fits.
type grid struct {
	columns []string
	rows    []table.Row
	widths  []int
	most    int // how wide it may be
}

func newTable(names ...string) *grid {
	g := &grid{columns: names, most: columns}
	for _, c := range names {
		g.widths = append(g.widths, width(c))
	}
	return g
}

// add appends a row. Cells are what fmt prints of them.
func (g *grid) add(cells ...string) {
	row := table.Row{}
	for i, c := range cells {
		row = append(row, c)
		g.widths[i] = max(g.widths[i], width(c))
	}
	g.rows = append(g.rows, row)
}

const gap = 2 // blanks behind each column

// natural is how wide the table is when nothing is broken; go-pretty counts the gap behind the last column too.
func (g *grid) natural() int {
	n := gap * len(g.widths)
	for _, w := range g.widths {
		n += w
	}
	return n
}

// narrowest is what a column of text is not broken below.
const narrowest = 8

// fitted are the widths of the columns of text in a table that fits, the widest being broken first.
func (g *grid) fitted() []int {
	out := slices.Clone(g.widths)
	for over := g.natural() - g.most; over > 0; over-- {
		widest := -1
		for i, w := range out {
			if !slices.Contains(numeric, g.columns[i]) && w > narrowest && (widest < 0 || w > out[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			break
		}
		out[widest]--
	}
	return out
}

// broken is a cell on several lines: between words, else behind what parts of a name are set off with, else anywhere.
func broken(cell string, most int) string {
	if strings.Contains(cell, "\x1b") {
		return text.WrapText(cell, most) // knows colours
	}
	var lines []string
	indent := cell[:len(cell)-len(strings.TrimLeft(cell, " "))]
	if len(indent) > most/2 {
		indent = ""
	}
	rest := cell[len(indent):]
	for {
		look := beginning(rest, max(longWord, most*utf8.UTFMax))
		if len(look) == len(rest) && width(indent+look) <= most {
			return strings.Join(append(lines, indent+rest), "\n")
		}
		head := text.Trim(indent+look, most)
		if i := strings.LastIndexAny(head, " ./_-"); i > len(indent) {
			head = head[:i+1]
		}
		lines, rest = append(lines, strings.TrimRight(head, " ")), strings.TrimLeft(rest[len(head)-len(indent):], " ")
	}
}

// beginning is as many bytes of a text at the most, and whole characters of them.
func beginning(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most]
}

// String writes the table without the blanks that pad its last column.
func (g *grid) String() string {
	t := table.NewWriter()
	style := table.StyleLight
	style.Format.Header = text.FormatDefault
	style.Options = table.Options{SeparateHeader: true}
	style.Box.PaddingLeft, style.Box.PaddingRight = "", strings.Repeat(" ", gap)
	t.SetStyle(style)
	header := table.Row{}
	var configs []table.ColumnConfig
	widths := g.fitted()
	for i, c := range g.columns {
		header = append(header, c)
		config := table.ColumnConfig{Number: i + 1, WidthMax: widths[i], WidthMaxEnforcer: broken}
		if slices.Contains(numeric, c) {
			config.Align, config.AlignHeader = text.AlignRight, text.AlignRight
		}
		configs = append(configs, config)
	}
	t.AppendHeader(header)
	t.AppendRows(g.rows)
	t.SetColumnConfigs(configs)
	lines := strings.Split(t.Render(), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}
