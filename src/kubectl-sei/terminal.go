package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// color is a graphic rendition of a terminal.
type color string

const (
	bold   color = "1"
	red    color = "31"
	yellow color = "33"
)

// paint prints text in a color, where the output has colors. The text itself cannot set one.
func paint(out io.Writer, in color, text string) {
	w, isPrintable := out.(*printableWriter)
	if !isPrintable || !w.hasColor || in == "" {
		fmt.Fprint(out, text)
		return
	}
	w.control("\x1b[" + string(in) + "m")
	fmt.Fprint(w, text)
	w.control("\x1b[0m")
}

// colorOf returns the color of a condition that reports a problem.
func colorOf(c condition) color {
	switch {
	case c.Type == "Stalled" && c.isTrue(), c.Type == "Ready" && !c.isTrue(), c.Type == "DataVolumeAtRisk" && c.isTrue():
		return red
	case reportsProblem(c):
		return yellow
	}
	return ""
}

// --- Flags ------------------------------------------------------------------------------------------------

// addScreen adds the flags of a command whose output is for people: --color, and -w, which shows it again and again.
func (p *plugin) addScreen(cmd *cobra.Command) {
	cmd.Flags().BoolVarP(&p.watch, "watch", "w", false, "show it again every few seconds, until interrupted")
	cmd.Flags().StringVar(&p.color, "color", "auto", "`when` to use colors: auto (on a terminal, unless NO_COLOR is set), always or never")
	complete(cmd, "color", "auto", "always", "never")
	before := cmd.PreRunE
	cmd.PreRunE = func(cmd *cobra.Command, args []string) error {
		if before != nil {
			if err := before(cmd, args); err != nil {
				return err
			}
		}
		if p.watch && p.output != "" && p.output != "wide" {
			return misused(cmd, "-w goes with no -o %s", p.output)
		}
		return p.decideOnColor(cmd)
	}
}

func (p *plugin) decideOnColor(cmd *cobra.Command) error {
	if !slices.Contains([]string{"auto", "always", "never"}, p.color) {
		return misused(cmd, "--color takes auto, always or never, not '%s'", p.color)
	}
	if out, isPrintable := p.Out.(*printableWriter); isPrintable {
		out.hasColor = usesColor(p.color, out.isTerminal() && understandsControls(out.out))
	}
	return nil
}

// usesColor obeys --color, and with auto what the environment says of colors.
func usesColor(flag string, isTerminal bool) bool {
	if flag == "auto" {
		return isTerminal && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	}
	return flag == "always"
}

// isTerminal reports whether a person reads the output as it is written.
func (w *printableWriter) isTerminal() bool {
	file, isFile := w.out.(*os.File)
	return isFile && term.IsTerminal(int(file.Fd()))
}

// size returns the columns and rows of the terminal, or 0 where the output is none.
func (w *printableWriter) size() (columns, rows int) {
	file, isFile := w.out.(*os.File)
	if !isFile {
		return 0, 0
	}
	columns, rows, err := term.GetSize(int(file.Fd()))
	if err != nil {
		return 0, 0
	}
	return columns, rows
}

// control writes a sequence of this program to the terminal, which Write would drop.
func (w *printableWriter) control(sequence string) {
	if _, err := io.WriteString(w.out, sequence); err != nil && w.failed == nil {
		w.failed = err
	}
}

// --- Screens ----------------------------------------------------------------------------------------------

// refreshPeriod is the time between two screens. The metrics of heights are up to a minute old.
var refreshPeriod = 5 * time.Second

// clearScreen moves to the first line and clears the terminal, so that the next screen takes the place of this one.
const clearScreen = "\x1b[H\x1b[2J"

// redraw shows a screen, and with -w again and again. On a terminal each takes the place of the one before; elsewhere an
// empty line is between them. A request that fails is shown and made again.
func (p *plugin) redraw(c *cluster, show func() error) error {
	target, isPrintable := p.Out.(*printableWriter)
	if !isPrintable {
		return show()
	}
	if target.isTerminal() {
		_, p.rows = target.size()
	}
	if !p.watch {
		return show()
	}
	errOut, warnings := p.ErrOut, c.warnings
	defer func() { p.Out, p.ErrOut, c.warnings = target, errOut, warnings }()
	for isFirst := true; ; isFirst = false {
		var screen bytes.Buffer
		drawn := &printableWriter{out: &screen, hasColor: target.hasColor}
		// What goes to the standard error would be cleared with the screen.
		p.Out, p.ErrOut, c.warnings = drawn, drawn, drawn
		clear(c.warned)
		err := show()
		var ended *exitError
		if err != nil && !(errors.As(err, &ended) && ended.message == "") {
			fmt.Fprintf(drawn, "kubectl-sei: %s\n", oneLine(err.Error()))
		}
		if target.isTerminal() {
			columns := 0
			columns, p.rows = target.size()
			target.control(clearScreen + fitted(screen.String(), columns, p.rows))
		} else {
			if !isFirst {
				fmt.Fprintln(target)
			}
			target.control(screen.String())
		}
		if target.failed != nil {
			return nil
		}
		select {
		case <-c.ctx.Done():
			return nil
		case <-time.After(refreshPeriod):
		}
	}
}

var rendition = regexp.MustCompile("\x1b\\[[0-9;]*m")

// columnsOf returns the most columns that a text may take: those of wide characters and of a tab, which a message may have.
func columnsOf(text string) int {
	columns := 0
	for _, char := range text {
		switch {
		case char == '\t':
			columns += 8
		case char >= 0x1100: // the first that are wide
			columns += 2
		default:
			columns++
		}
	}
	return columns
}

// fitted returns the lines of a screen that fit a terminal, with the number of those that do not.
func fitted(screen string, columns, rows int) string {
	lines := strings.Split(strings.TrimSuffix(screen, "\n"), "\n")
	if columns < 1 || rows < 2 {
		return screen
	}
	room := rows - 1
	for shown, line := range lines {
		length := columnsOf(rendition.ReplaceAllString(line, ""))
		taken := max(1, (length+columns-1)/columns)
		isLast := shown == len(lines)-1
		if taken > room || taken == room && !isLast {
			return strings.Join(append(lines[:shown:shown], fmt.Sprintf("... %s", counted(len(lines)-shown, "more line"))), "\n") + "\n"
		}
		room -= taken
	}
	return screen
}
