package dataset

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/color"
	_ "image/gif" // formats of the standard library
	_ "image/jpeg"
	_ "image/png"
	"io"
)

// picture is what the head of an image says.
type picture struct {
	width, height int
	channels      int64 // as they are stored; 0 for a palette
}

var errPicture = errors.New("it ends within its header, or is of no known format")

// readPicture reads the head of an image, by what it starts with and not by its name.
func readPicture(r io.Reader) (picture, error) {
	in := bufio.NewReader(r)
	mark, _ := in.Peek(16) // what is shorter matches nothing
	var p picture
	var err error
	switch {
	case len(mark) < 8:
		return p, errPicture
	case string(mark[:2]) == "BM":
		p, err = readBMP(in)
	case mark[0] == 'P' && (mark[1] == '5' || mark[1] == '6'):
		p, err = readPNM(in)
	case string(mark[:4]) == "RIFF":
		p, err = readWebP(in)
	case string(mark[:4]) == "II*\x00", string(mark[:4]) == "MM\x00*":
		p, err = readTIFF(in)
	default:
		p, err = readStandard(in)
	}
	if err == nil && (p.width < 1 || p.height < 1 || p.width > 1<<24 || p.height > 1<<24) {
		err = fmt.Errorf("it says that it is %d by %d", p.width, p.height)
	}
	return p, err
}

// readStandard reads PNG, JPEG and GIF.
func readStandard(in io.Reader) (picture, error) {
	c, _, err := image.DecodeConfig(in)
	if err != nil {
		return picture{}, err
	}
	p := picture{width: c.Width, height: c.Height}
	switch c.ColorModel {
	case color.GrayModel, color.Gray16Model:
		p.channels = 1
	case color.RGBAModel, color.RGBA64Model, color.YCbCrModel:
		p.channels = 3
	case color.NRGBAModel, color.NRGBA64Model, color.CMYKModel:
		p.channels = 4
	}
	return p, nil
}

// head reads so many bytes.
func head(in io.Reader, n int) ([]byte, error) {
	b := make([]byte, n)
	if _, err := io.ReadFull(in, b); err != nil {
		return nil, errPicture
	}
	return b, nil
}

// readBMP reads a bitmap with the header of Windows 3 or later.
func readBMP(in io.Reader) (picture, error) {
	b, err := head(in, 30)
	if err != nil || binary.LittleEndian.Uint32(b[14:]) < 40 {
		return picture{}, errPicture
	}
	height := int64(int32(binary.LittleEndian.Uint32(b[22:])))
	p := picture{width: int(int32(binary.LittleEndian.Uint32(b[18:]))), height: int(max(height, -height))} // a height below zero starts at the top
	switch binary.LittleEndian.Uint16(b[28:]) {
	case 24, 16:
		p.channels = 3
	case 32:
		p.channels = 4
	}
	return p, nil
}

// readPNM reads a grey (P5) or colour (P6) image of the portable formats: numbers between blanks and comments.
func readPNM(in *bufio.Reader) (picture, error) {
	kind, err := head(in, 2)
	if err != nil {
		return picture{}, err
	}
	p := picture{channels: 1}
	if kind[1] == '6' {
		p.channels = 3
	}
	for _, n := range []*int{&p.width, &p.height} {
		if *n, err = pnmNumber(in); err != nil {
			return picture{}, err
		}
	}
	return p, nil
}

func pnmNumber(in *bufio.Reader) (int, error) {
	n, digits, comment := 0, 0, false
	for range 1 << 16 {
		b, err := in.ReadByte()
		switch {
		case err != nil:
			return 0, errPicture
		case comment:
			comment = b != '\n'
		case b >= '0' && b <= '9' && digits < 8:
			n, digits = n*10+int(b-'0'), digits+1
		case digits > 0:
			return n, nil
		case b == '#':
			comment = true
		case b != ' ' && b != '\t' && b != '\n' && b != '\r':
			return 0, errPicture
		}
	}
	return 0, errPicture
}

// readWebP reads the three forms of the container: lossy, lossless and extended.
func readWebP(in io.Reader) (picture, error) {
	b, err := head(in, 30)
	if err != nil || string(b[8:12]) != "WEBP" {
		return picture{}, errPicture
	}
	little := binary.LittleEndian
	switch string(b[12:16]) {
	case "VP8 ":
		if b[23] != 0x9d || b[24] != 0x01 || b[25] != 0x2a {
			return picture{}, errPicture
		}
		return picture{int(little.Uint16(b[26:]) & 0x3fff), int(little.Uint16(b[28:]) & 0x3fff), 3}, nil
	case "VP8L":
		bits := little.Uint32(b[21:])
		return picture{int(bits&0x3fff) + 1, int(bits>>14&0x3fff) + 1, 3 + int64(bits>>28&1)}, nil
	case "VP8X":
		size := func(at int) int { return int(b[at]) | int(b[at+1])<<8 | int(b[at+2])<<16 }
		return picture{size(24) + 1, size(27) + 1, 3 + int64(b[20]>>4&1)}, nil
	}
	return picture{}, errPicture
}

// readTIFF reads width, height and samples per pixel from the first directory, which may lie anywhere in the first megabytes.
func readTIFF(in io.Reader) (picture, error) {
	b, err := io.ReadAll(io.LimitReader(in, 64<<20))
	if err != nil || len(b) < 8 {
		return picture{}, errPicture
	}
	var order binary.ByteOrder = binary.LittleEndian
	if b[0] == 'M' {
		order = binary.BigEndian
	}
	at := int64(order.Uint32(b[4:]))
	if at+2 > int64(len(b)) {
		return picture{}, errPicture
	}
	entries := int64(order.Uint16(b[at:]))
	if at+2+12*entries > int64(len(b)) {
		return picture{}, errPicture
	}
	p, palette := picture{channels: 1}, false
	for i := range entries {
		e := b[at+2+12*i:]
		value := int64(order.Uint32(e[8:]))
		if order.Uint16(e[2:]) == 3 { // a short stands in the first half
			value = int64(order.Uint16(e[8:]))
		}
		switch order.Uint16(e) {
		case 256:
			p.width = int(value)
		case 257:
			p.height = int(value)
		case 262:
			palette = value == 3
		case 277:
			p.channels = value
		}
	}
	if palette {
		p.channels = 0
	}
	return p, nil
}
