package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/types"
)

func newPauseCommand(p *plugin) *cobra.Command {
	var stop bool
	cmd := &cobra.Command{
		Use:   "pause NAME",
		Short: "pause the rollouts of a fleet, or stop pods",
		Long:  "Pauses the rollouts of a fleet. Its nodes keep running.",
		Args:  oneName,
		RunE: func(cmd *cobra.Command, args []string) error {
			c, object, err := p.settled(cmd, args)
			if err != nil {
				return err
			}
			if stop {
				return p.merge(c, object, `{"spec":{"paused":true}}`)
			}
			if !object.isFleet() {
				return misused(cmd, "pausing a node stops its pod; add --stop to confirm")
			}
			return p.merge(c, object, `{"spec":{"updateStrategy":{"type":"InPlace","paused":true}}}`)
		},
	}
	cmd.Flags().BoolVar(&stop, "stop", false, "stop the pods; volumes stay. Required for a node")
	p.addDryRun(cmd)
	p.completesNames(cmd, false, fleets, nodes)
	return cmd
}

func newResumeCommand(p *plugin) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "resume NAME",
		Short: "end either kind of pause",
		Args:  oneName,
		RunE: func(cmd *cobra.Command, args []string) error {
			c, object, err := p.settled(cmd, args)
			if err != nil {
				return err
			}
			if object.isFleet() {
				return p.merge(c, object, `{"spec":{"paused":false,"updateStrategy":{"type":"InPlace","paused":false}}}`)
			}
			return p.merge(c, object, `{"spec":{"paused":false}}`)
		},
	}
	p.addDryRun(cmd)
	p.completesNames(cmd, false, fleets, nodes)
	return cmd
}

func newRestartCommand(p *plugin) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "restart NAME",
		Short: "replace the pods, one by one as in a rollout",
		Args:  oneName,
		RunE: func(cmd *cobra.Command, args []string) error {
			c, object, err := p.settled(cmd, args)
			if err != nil {
				return err
			}
			patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"annotations": map[string]string{
				restartAnnotation: time.Now().UTC().Format(time.RFC3339),
			}}})
			if err != nil {
				return err
			}
			return p.change(c, object, types.MergePatchType, patch, "annotated")
		},
	}
	p.addDryRun(cmd)
	p.completesNames(cmd, false, fleets, nodes)
	return cmd
}

// settled returns the one object that a command is to change.
func (p *plugin) settled(cmd *cobra.Command, args []string) (*cluster, *object, error) {
	named, err := targetOf(cmd, args)
	if err != nil {
		return nil, nil, err
	}
	c, err := p.connect(cmd)
	if err != nil {
		return nil, nil, err
	}
	object, err := c.settle(cmd, named)
	return c, object, err
}

func (p *plugin) merge(c *cluster, o *object, patch string) error {
	return p.change(c, o, types.MergePatchType, []byte(patch), "patched")
}

// change patches an object and says so in the words of kubectl.
func (p *plugin) change(c *cluster, o *object, how types.PatchType, patch []byte, done string) error {
	kind := kindOf(o)
	if _, err := c.patch(kind, c.namespace, o.Metadata.Name, how, patch, write{dryRun: p.isDryRun()}); err != nil {
		return err
	}
	fmt.Fprintf(p.Out, "%s %s%s\n", nameOf(kind, o.Metadata.Name), done, p.dryRunNote())
	return nil
}

func (p *plugin) dryRunNote() string {
	if p.isDryRun() {
		return " (server dry run)"
	}
	return ""
}

// nameOf returns an object as kubectl names it.
func nameOf(kind resourceType, name string) string {
	group := kind.groupVersion().Group
	if group != "" {
		group = "." + group
	}
	return strings.ToLower(kind.kind) + group + "/" + name
}
