package main

import (
	"cmp"
	"io"
	"unicode/utf8"
)

// printable returns a writer that drops the characters with which a message could control a terminal. Much of what
// this program prints was written by tenants, nodes and container runtimes.
func printable(out io.Writer) io.Writer { return &printableWriter{out: out} }

type printableWriter struct {
	out     io.Writer
	partial []byte
	// failed is the first error of out.
	failed error
	// hasColor is whether paint may color text.
	hasColor bool
}

// chunk bounds the copy that is made of what is written.
const chunk = 64 * 1024

func (w *printableWriter) Write(data []byte) (int, error) {
	for rest := data; len(rest) > 0; {
		size := min(len(rest), chunk)
		if err := w.writeChunk(rest[:size]); err != nil {
			return 0, err
		}
		rest = rest[size:]
	}
	return len(data), nil
}

func (w *printableWriter) writeChunk(data []byte) error {
	text := append(w.partial, data...)
	kept := make([]byte, 0, len(text))
	for len(text) > 0 && utf8.FullRune(text) {
		char, size := utf8.DecodeRune(text)
		text = text[size:]
		if isPrintable(char) {
			kept = utf8.AppendRune(kept, char)
		}
	}
	w.partial = append([]byte(nil), text...)
	_, err := w.out.Write(kept)
	w.failed = cmp.Or(w.failed, err)
	return err
}

// isPrintable refuses the control characters but tab and newline, C1 among them, and those that change the direction
// of text or separate lines.
func isPrintable(char rune) bool {
	switch {
	case char == '\t' || char == '\n':
		return true
	case char < 0x20, 0x7f <= char && char <= 0x9f:
		return false
	case char == 0x061c, char == 0x200e, char == 0x200f, 0x2028 <= char && char <= 0x2029, 0x202a <= char && char <= 0x202e, 0x2066 <= char && char <= 0x2069:
		return false
	}
	return true
}
