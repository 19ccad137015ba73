//go:build !windows

package main

import "io"

// understandsControls reports whether a terminal takes control sequences, as every one does but those of Windows.
func understandsControls(io.Writer) bool { return true }
