package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// Exit codes. Scripts depend on them: docs/kubectl-plugin.md lists what they mean for each command.
const (
	exitDone       = 0
	exitNo         = 1
	exitUsage      = 2
	exitUnanswered = 2
	exitTimeout    = 3
)

// exitError ends the program with a code, and with a message unless that is empty.
type exitError struct {
	code    int
	message string
}

func (e *exitError) Error() string { return e.message }

// exitWith ends the program with a code; what there was to print has been printed.
func exitWith(code int) error { return &exitError{code: code} }

func failf(code int, format string, values ...any) error {
	return &exitError{code: code, message: fmt.Sprintf(format, values...)}
}

// misused reports a command line that a command does not accept, and points at that command's help.
func misused(cmd *cobra.Command, format string, values ...any) error {
	help := "kubectl sei --help"
	if cmd != nil && cmd.HasParent() {
		help = "kubectl sei " + pathOf(cmd) + " --help"
	}
	return failf(exitUsage, format+"; see %s", append(values, help)...)
}

// pathOf returns the words of a command, such as "upgrades add".
func pathOf(cmd *cobra.Command) string { return strings.TrimPrefix(cmd.CommandPath(), "sei ") }

// answersByExitCode is the annotation of commands whose exit code 1 is an answer. Their failures end with 2.
const answersByExitCode = "answers-by-exit-code"

func answering(cmd *cobra.Command) *cobra.Command {
	cmd.Annotations = map[string]string{answersByExitCode: "true"}
	return cmd
}

func codeOfFailure(cmd *cobra.Command) int {
	if cmd.Annotations[answersByExitCode] != "" {
		return exitUnanswered
	}
	return exitNo
}
