// Computes what GitOps tools make of Kubernetes objects: one JSON object per line of its input, and for each
// a line with the status of kstatus and, if there are arguments, that of Flux's healthCheckExprs, separated
// by a tab. An argument is inProgress=, failed= or current= and a CEL expression.
package main

import (
	"bufio"
	"fmt"
	"os"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/ext"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/cli-utils/pkg/kstatus/status"
)

// A fleet with many nodes has a long status.
const maxLine = 16 << 20

func main() {
	exprs, err := parse(os.Args[1:])
	if err != nil {
		fail(err)
	}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		object := &unstructured.Unstructured{}
		if err := object.UnmarshalJSON(lines.Bytes()); err != nil {
			fail(err)
		}
		result, err := status.Compute(object)
		if err != nil {
			fail(err)
		}
		fmt.Print(result.Status)
		if len(exprs) > 0 {
			fmt.Print("\t", evaluate(exprs, object))
		}
		fmt.Println()
	}
	if err := lines.Err(); err != nil {
		fail(err)
	}
}

// order is the order in which Flux evaluates the expressions.
var order = []struct {
	name   string
	status status.Status
}{
	{"inProgress", status.InProgressStatus},
	{"failed", status.FailedStatus},
	{"current", status.CurrentStatus},
}

func parse(arguments []string) (map[string]cel.Program, error) {
	exprs := map[string]cel.Program{}
	for _, argument := range arguments {
		name, expr, _ := strings.Cut(argument, "=")
		env, err := cel.NewEnv(
			cel.Variable("metadata", cel.DynType),
			cel.Variable("spec", cel.DynType),
			cel.Variable("status", cel.DynType),
			ext.Strings())
		if err != nil {
			return nil, err
		}
		tree, issues := env.Compile(expr)
		if issues.Err() != nil {
			return nil, fmt.Errorf("%s: %w", expr, issues.Err())
		}
		if exprs[name], err = env.Program(tree); err != nil {
			return nil, err
		}
	}
	return exprs, nil
}

// As in Flux, an object whose newest spec was not observed is in progress, and so is one of which no
// expression holds, or can be evaluated because a field is missing.
func evaluate(exprs map[string]cel.Program, object *unstructured.Unstructured) status.Status {
	observed, found, _ := unstructured.NestedInt64(object.Object, "status", "observedGeneration")
	if found && observed != object.GetGeneration() {
		return status.InProgressStatus
	}
	for _, next := range order {
		program, given := exprs[next.name]
		if !given {
			continue
		}
		holds, _, err := program.Eval(object.Object)
		if err != nil {
			return status.InProgressStatus
		}
		if holds.Value() == true {
			return next.status
		}
	}
	return status.InProgressStatus
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "kstatus:", err)
	os.Exit(1)
}
