package dataset

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// footer is what is read of a Parquet file's metadata (parquet.thrift, FileMetaData).
type footer struct {
	rows     int64
	columns  []column
	metadata map[string][]byte
}

// column is one line of the schema, or all lines of a column that has lists or records in it.
type column struct {
	name     string
	numeric  bool
	children int64
}

var errThrift = errors.New("it ends too early, or is not Thrift's compact form")

// compact reads Thrift's compact protocol.
type compact struct {
	data []byte
	deep int
}

// The types of the compact protocol.
const (
	typeTrue, typeFalse, typeByte          = 1, 2, 3
	typeI16, typeI32, typeI64, typeDouble  = 4, 5, 6, 7
	typeBinary, typeList, typeSet, typeMap = 8, 9, 10, 11
	typeStruct                             = 12
)

func (c *compact) byte() (byte, error) {
	if len(c.data) == 0 {
		return 0, errThrift
	}
	b := c.data[0]
	c.data = c.data[1:]
	return b, nil
}

func (c *compact) varint() (uint64, error) {
	n, size := binary.Uvarint(c.data)
	if size <= 0 {
		return 0, errThrift
	}
	c.data = c.data[size:]
	return n, nil
}

func (c *compact) integer() (int64, error) {
	n, err := c.varint()
	return int64(n>>1) ^ -int64(n&1), err
}

func (c *compact) bytes() ([]byte, error) {
	n, err := c.varint()
	if err != nil || n > uint64(len(c.data)) {
		return nil, errThrift
	}
	out := c.data[:n]
	c.data = c.data[n:]
	return out, nil
}

// fields calls f for each field of a structure; f must consume the value, or return false to have it skipped.
func (c *compact) fields(f func(id int64, kind byte) (bool, error)) error {
	id := int64(0)
	for {
		head, err := c.byte()
		if err != nil {
			return err
		}
		if head == 0 {
			return nil
		}
		if delta := head >> 4; delta > 0 {
			id += int64(delta)
		} else if id, err = c.integer(); err != nil {
			return err
		}
		taken, err := f(id, head&15)
		if err == nil && !taken {
			err = c.skip(head & 15)
		}
		if err != nil {
			return err
		}
	}
}

// list calls f for each item.
func (c *compact) list(f func(kind byte) error) error {
	head, err := c.byte()
	if err != nil {
		return err
	}
	n := uint64(head >> 4)
	if n == 15 {
		if n, err = c.varint(); err != nil {
			return err
		}
	}
	if n > uint64(len(c.data)) { // every item takes a byte at least
		return errThrift
	}
	for range n {
		if err := f(head & 15); err != nil {
			return err
		}
	}
	return nil
}

// skip passes over a value.
func (c *compact) skip(kind byte) error {
	if c.deep++; c.deep > 64 {
		return errThrift
	}
	defer func() { c.deep-- }()
	var err error
	switch kind {
	case typeTrue, typeFalse:
	case typeByte:
		_, err = c.byte()
	case typeI16, typeI32, typeI64:
		_, err = c.varint()
	case typeDouble:
		if len(c.data) < 8 {
			return errThrift
		}
		c.data = c.data[8:]
	case typeBinary:
		_, err = c.bytes()
	case typeList, typeSet:
		err = c.list(c.skipItem)
	case typeStruct:
		err = c.fields(func(int64, byte) (bool, error) { return false, nil })
	case typeMap:
		err = c.skipMap()
	default:
		err = errThrift
	}
	return err
}

// skipItem passes over what stands in a list or a map, where a boolean takes a byte. Every other kind takes one at least.
func (c *compact) skipItem(kind byte) error {
	if kind == typeTrue || kind == typeFalse {
		kind = typeByte
	}
	return c.skip(kind)
}

func (c *compact) skipMap() error {
	n, err := c.varint()
	if err != nil || n == 0 {
		return err
	}
	kinds, err := c.byte()
	if err != nil || n > uint64(len(c.data)) {
		return errThrift
	}
	for range n {
		if err := c.skipItem(kinds >> 4); err != nil {
			return err
		}
		if err := c.skipItem(kinds & 15); err != nil {
			return err
		}
	}
	return nil
}

// maxSchema is how many lines a schema may have: more than any dataset has columns.
const maxSchema = 100_000

// parseFooter reads rows (field 3), schema (field 2) and key-value metadata (field 5).
func parseFooter(data []byte) (*footer, error) {
	c, out := &compact{data: data}, &footer{metadata: map[string][]byte{}}
	lines := []column{}
	err := c.fields(func(id int64, kind byte) (taken bool, err error) {
		switch {
		case id == 3 && kind == typeI64:
			out.rows, err = c.integer()
			return true, err
		case id == 2 && kind == typeList:
			return true, c.list(func(byte) error {
				if len(lines) == maxSchema {
					return fmt.Errorf("its schema has more than %d lines", maxSchema)
				}
				line, err := c.element()
				lines = append(lines, line)
				return err
			})
		case id == 5 && kind == typeList:
			return true, c.list(func(byte) error {
				var key, value []byte
				err := c.fields(func(id int64, kind byte) (bool, error) {
					if kind != typeBinary || id != 1 && id != 2 {
						return false, nil
					}
					text, err := c.bytes()
					if id == 1 {
						key = text
					} else {
						value = text
					}
					return true, err
				})
				out.metadata[string(key)] = value
				return err
			})
		}
		return false, nil
	})
	out.columns = outermost(lines)
	return out, err
}

// outermost are the columns of the table. The schema lists its tree depth first, each line with the number of its children, the root first.
func outermost(lines []column) []column {
	var out []column
	pending := int64(0) // lines that belong to the column before
	for _, line := range lines[min(1, len(lines)):] {
		if pending == 0 {
			line.numeric = line.numeric && line.children == 0
			out = append(out, line)
		} else {
			pending--
		}
		pending += min(max(0, line.children), int64(len(lines)))
	}
	return out
}

// Converted types that are stored as numbers and are none: a date, times and timestamps (parquet.thrift, ConvertedType).
const firstDate, lastDate = 6, 10

// element is one line of the schema.
func (c *compact) element() (col column, err error) {
	dated := false
	err = c.fields(func(id int64, kind byte) (taken bool, err error) {
		switch {
		case id == 1 && kind == typeI32: // INT32, INT64, FLOAT and DOUBLE
			n, err := c.integer()
			col.numeric = n == 1 || n == 2 || n == 4 || n == 5
			return true, err
		case id == 4 && kind == typeBinary:
			name, err := c.bytes()
			col.name = string(name)
			return true, err
		case id == 5 && kind == typeI32:
			col.children, err = c.integer()
			return true, err
		case id == 6 && kind == typeI32:
			n, err := c.integer()
			dated = n >= firstDate && n <= lastDate
			return true, err
		}
		return false, nil
	})
	col.numeric = col.numeric && !dated
	return col, err
}
