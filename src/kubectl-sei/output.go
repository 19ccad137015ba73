package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"sigs.k8s.io/yaml"
)

// listOf is what -o json and -o yaml print.
type listOf[T any] struct {
	Items []T `json:"items"`
}

// print writes a value as -o asks for.
func (p *plugin) print(value any) error {
	if p.output == "yaml" {
		text, err := yaml.Marshal(value)
		if err != nil {
			return err
		}
		_, err = p.Out.Write(text)
		return err
	}
	text, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return err
	}
	if bytes.ContainsFunc(text, isUnprintable) {
		text = []byte(escapeUnprintable(string(text)))
	}
	_, err = p.Out.Write(append(text, '\n'))
	return err
}

func isUnprintable(char rune) bool { return !isPrintable(char) }

// escapeUnprintable writes in JSON what would be dropped on its way to a terminal.
func escapeUnprintable(text string) string {
	var escaped strings.Builder
	for _, char := range text {
		if isPrintable(char) {
			escaped.WriteRune(char)
		} else {
			fmt.Fprintf(&escaped, `\u%04x`, char)
		}
	}
	return escaped.String()
}
