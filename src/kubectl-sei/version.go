package main

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"
)

func newVersionCommand(p *plugin) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "show the versions of this plugin, the operator and Kubernetes",
		Long: `
Shows the versions of this plugin, of every operator that you may see, and of Kubernetes.

An operator is found by the binding of its role, which needs the right to list ClusterRoleBindings, or RoleBindings in
the namespace.`,
		Args: noName,
		RunE: func(cmd *cobra.Command, _ []string) error {
			fmt.Fprintf(p.Out, "kubectl-sei   %s\n", facts.Version)
			c, err := p.connect(cmd)
			if err != nil {
				return err
			}
			return p.printVersions(p.Out, c)
		},
	}
}

// printVersions prints those of the operators and of Kubernetes.
func (p *plugin) printVersions(out io.Writer, c *cluster) error {
	var hasAny bool
	for _, operator := range c.operators(p.allNamespaces) {
		found, err := c.deploymentsOf(operator)
		if err != nil {
			continue
		}
		for _, d := range found {
			hasAny = true
			image := ""
			if containers := d.Spec.Template.Spec.Containers; len(containers) > 0 {
				image = containers[0].Image
			}
			fmt.Fprintf(out, "sei-operator  %s  %s  (%s/%s, %d/%d ready)\n", orNone(d.Metadata.Labels["app.kubernetes.io/version"]),
				image, operator.namespace, d.Metadata.Name, d.Status.ReadyReplicas, d.Spec.Replicas)
		}
	}
	if !hasAny {
		fmt.Fprintln(out, "sei-operator  found no operator that you may see")
	}
	answer, err := c.raw("/version")
	if err != nil {
		return err
	}
	var server struct {
		GitVersion string `json:"gitVersion"`
	}
	if err := json.Unmarshal(answer, &server); err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "Kubernetes    %s\n", server.GitVersion)
	return err
}
