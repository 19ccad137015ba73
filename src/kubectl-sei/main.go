// Command kubectl-sei is a kubectl plugin to operate Sei nodes and fleets.
package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"k8s.io/cli-runtime/pkg/genericiooptions"
)

func main() {
	streams := genericiooptions.IOStreams{In: os.Stdin, Out: printable(os.Stdout), ErrOut: printable(os.Stderr)}
	os.Exit(run(filepath.Base(os.Args[0]), os.Args[1:], streams))
}

// run executes a command line and returns the exit code. kubectl completes the words of a plugin by an executable of
// the name kubectl_complete-sei, which may be a link to this program.
func run(executable string, args []string, streams genericiooptions.IOStreams) int {
	root := newRootCommand(streams)
	if strings.HasPrefix(executable, "kubectl_complete-sei") {
		args = append([]string{"__completeNoDesc"}, args...)
	}
	root.SetArgs(args)
	executed, err := root.ExecuteC()
	if out, isPrintable := streams.Out.(*printableWriter); isPrintable && out.failed != nil {
		err = fmt.Errorf("cannot write the output: %w", out.failed)
	}
	if err == nil {
		return exitDone
	}
	var unknown string
	if _, scanErr := fmt.Sscanf(err.Error(), "unknown command %q", &unknown); scanErr == nil {
		err = misused(root, "there is no command '%s'", unknown)
	}
	var ended *exitError
	if !errors.As(err, &ended) {
		ended = &exitError{code: codeOfFailure(executed), message: err.Error()}
	}
	if ended.message != "" {
		fmt.Fprintf(streams.ErrOut, "kubectl-sei: %s\n", ended.message)
	}
	return ended.code
}
