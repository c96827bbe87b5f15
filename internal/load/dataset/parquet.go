package dataset

import (
	"encoding/binary"
	"encoding/json"
	"io"
	"io/fs"
)

func init() { byExtension[".parquet"] = readParquet }

// maxFooter is more than any footer of a dataset has.
const maxFooter = 64 << 20

// readParquet reads the footer of a Parquet file: its rows, its columns, and the description that the datasets library leaves there.
func readParquet(f *Found, fsys fs.FS, name string) error {
	if isTest(name) {
		return nil
	}
	file, err := fsys.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	at, ok := file.(io.ReaderAt)
	if !ok {
		return broken(name, "cannot be read from its end")
	}
	var tail [8]byte
	if info.Size() < 12 {
		return broken(name, "is too short for a Parquet file")
	}
	if _, err := at.ReadAt(tail[:], info.Size()-8); err != nil || string(tail[4:]) != "PAR1" {
		return broken(name, "does not end as a Parquet file does")
	}
	size := int64(binary.LittleEndian.Uint32(tail[:4]))
	if size > maxFooter || size > info.Size()-12 {
		return broken(name, "says that its footer has %d bytes, which it cannot have", size)
	}
	footer := make([]byte, size)
	if _, err := at.ReadAt(footer, info.Size()-8-size); err != nil {
		return err
	}
	m, err := parseFooter(footer)
	if err != nil {
		return broken(name, "has a footer that cannot be read: %v", err)
	}
	f.addSamples(m.rows)
	var described struct {
		Info description `json:"info"`
	}
	if json.Unmarshal(m.metadata["huggingface"], &described) == nil {
		f.classes(described.Info.Features)
	}
	f.columns(name, m)
	return nil
}

// columns takes a table of numbers with one column of labels for rows that a model reads.
func (f *Found) columns(name string, m *footer) {
	numbers, labels, indices := int64(0), int64(0), 0
	for _, c := range m.columns {
		switch {
		case isLabel(c.name):
			labels++
		case c.name == "__index_level_0__": // pandas does not give it back as a column
		case isIndex(c.name):
			indices++
		case c.numeric:
			numbers++
		default:
			return // texts, images: what the model gets of them is not known here
		}
	}
	switch {
	case indices > 0:
		f.note("%s has a column that numbers its rows; give features", name)
	case labels == 1 && numbers > 0:
		f.Features = numbers
	case labels == 0:
		f.note("%s has no column called label, target, class or y; give num_labels and features", name)
	}
}
