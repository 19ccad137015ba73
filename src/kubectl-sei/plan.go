package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"
)

func newPlanCommand(p *plugin) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "plan NAME",
		Short: "show the progress of its rollout and plan, and what it waits for",
		Args:  oneName,
		RunE: p.onTarget(func(_ *cobra.Command, c *cluster, named target) error {
			found, err := c.read(named)
			if err != nil {
				return err
			}
			for _, object := range found {
				printProgress(p.Out, object)
			}
			return nil
		}),
	}
	p.completesNames(cmd, false, fleets, nodes)
	return cmd
}

func printProgress(out io.Writer, o *object) {
	printHeadline(out, o)
	printRollout(out, "Rollout", o.Status.Rollout)
	printRollout(out, "Paused rollout", o.Status.PausedRollout)
	printPlan(out, o.Status.Plan)
	ofTemplate := o.Status.Rollout != nil && o.Status.Rollout.Configuration == ""
	if o.Status.Plan == nil && !ofTemplate && o.Status.PausedRollout == nil {
		if outdated := o.condition("UpToDate"); outdated.Status == "False" {
			fmt.Fprintf(out, "  Not up to date: %s\n", oneLine(outdated.Message))
		} else {
			fmt.Fprintln(out, "  No plan is active.")
		}
	}
	if len(o.Status.PlanHistory) > 0 {
		fmt.Fprintln(out, "  Earlier:")
		for _, line := range o.Status.PlanHistory {
			fmt.Fprintf(out, "    %s\n", oneLine(line))
		}
	}
}

func printRollout(out io.Writer, title string, r *rollout) {
	if r == nil {
		return
	}
	target := "to " + r.TargetHash
	if r.Configuration != "" {
		target = "of configuration " + r.Configuration
	}
	fmt.Fprintf(out, "  %s %s, since %s\n", title, target, r.StartedAt)
	for _, node := range r.Nodes {
		admitted, before := "not admitted yet", ""
		if node.AdmittedAt != "" {
			admitted = "admitted " + node.AdmittedAt
		}
		if !node.WasAvailable {
			before = ", was not ready before"
		}
		fmt.Fprintf(out, "    %-24s %s%s\n", node.Name, admitted, before)
	}
}

func printPlan(out io.Writer, p *plan) {
	if p == nil {
		return
	}
	printf := printTo(out)
	printf("  Plan %s %s", p.Kind, p.Phase)
	if p.Target != nil && p.Target.Image != "" {
		printf(", to %s", p.Target.Image)
	}
	if p.StartedAt != "" {
		printf(", since %s", p.StartedAt)
	}
	printf("\n")
	for _, task := range p.Tasks {
		printf("    %-9s %-28s%s\n", task.Status, task.Type, task.reasons())
	}
}

// reasons says why a task has not completed.
func (t planTask) reasons() string {
	if t.Status == "Complete" {
		return ""
	}
	var text string
	if t.Reason != "" {
		text += " " + t.Reason
	}
	if t.Message != "" {
		text += ": " + t.Message
	}
	if t.Error != "" {
		text += " error: " + t.Error
	}
	if t.RetryCount > 0 {
		text += fmt.Sprintf(" (retried %d times)", t.RetryCount)
	}
	return oneLine(text)
}
