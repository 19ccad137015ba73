package main

import (
	"io"
	"os"

	"golang.org/x/sys/windows"
)

// understandsControls turns on control sequences in a console of Windows, and reports whether it has them.
func understandsControls(out io.Writer) bool {
	file, isFile := out.(*os.File)
	if !isFile {
		return false
	}
	console := windows.Handle(file.Fd())
	var mode uint32
	if windows.GetConsoleMode(console, &mode) != nil {
		return false
	}
	return windows.SetConsoleMode(console, mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING) == nil
}
