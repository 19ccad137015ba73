package main

import (
	"encoding/json"
	"fmt"
	"regexp"

	"github.com/spf13/cobra"
)

func newVoteCommand(p *plugin) *cobra.Command {
	var vote struct{ proposal, option string }
	cmd := newTransaction(p, "vote", "vote on a proposal with the key of a validator, and wait for the end", `
Creates the SeiNodeTask NODE-vote-N, which has the sidecar of the node sign the vote and broadcast it once,
and waits for its end. There is one of that name, so the same command does not vote twice while that
task exists. A vote needs sidecar v0.0.64 or newer.

The exit code is 0 if the vote is in a block and counts, 1 if not or if that cannot be known, 2 for wrong usage, and 3 if
the waiting is out of time.`,
		func(cmd *cobra.Command, node string) (transaction, error) {
			for _, flag := range []string{"proposal", "option"} {
				if !cmd.Flags().Changed(flag) {
					return transaction{}, misused(cmd, "vote needs --%s", flag)
				}
			}
			proposal, err := numberOf(cmd, "proposal", vote.proposal)
			if err != nil {
				return transaction{}, err
			}
			option, err := wordOf(cmd, vote.option)
			return transaction{
				kind: "GovVote", payload: "govVote", metadata: map[string]any{"name": fmt.Sprintf("%s-vote-%s", node, proposal)},
				parameters: map[string]any{"proposalId": proposal, "option": option},
			}, err
		})
	cmd.Flags().StringVar(&vote.proposal, "proposal", "", "`number` of the proposal")
	cmd.Flags().StringVar(&vote.option, "option", "", "yes, no, abstain or no_with_veto")
	complete(cmd, "option", "yes", "no", "abstain", "no_with_veto")
	return cmd
}

func newUnjailCommand(p *plugin) *cobra.Command {
	return newTransaction(p, "unjail", "have a jailed validator take part again, and wait for the end", `
Creates a SeiNodeTask, which has the sidecar of the validator sign the transaction and broadcast it once, and
waits for its end. Only the sidecar of the Go operator's own tree knows this task; seictl up to v0.0.70 does not: sign by
hand then (docs/tasks.md). The flags and the exit code are those of vote.`,
		func(_ *cobra.Command, node string) (transaction, error) {
			return transaction{
				kind: "Unjail", payload: "unjail", metadata: map[string]any{"generateName": node + "-unjail-"},
				parameters: map[string]any{},
			}, nil
		})
}

// transaction is a SeiNodeTask that has a sidecar sign one.
type transaction struct {
	kind       string
	payload    string
	metadata   map[string]any
	parameters map[string]any
}

func newTransaction(
	p *plugin, name, short, long string, prepare func(cmd *cobra.Command, node string) (transaction, error),
) *cobra.Command {
	var fees, gas, key, timeout string
	cmd := &cobra.Command{
		Use:   name + " NODE",
		Short: short,
		Long:  long,
		Args:  oneName,
		RunE: func(cmd *cobra.Command, args []string) error {
			named, err := targetOf(cmd, args)
			if err != nil {
				return err
			}
			if !named.isOf(nodes) {
				return misused(cmd, "%s is for a node, not for a fleet", name)
			}
			t, err := prepare(cmd, named.name)
			if err != nil {
				return err
			}
			if err := t.addCosts(cmd, fees, gas, key); err != nil {
				return err
			}
			limit, err := timeLimitOf(cmd, timeout)
			if err != nil {
				return err
			}
			c, err := p.connect(cmd)
			if err != nil {
				return err
			}
			task, err := p.createTask(c, named.name, t)
			if err != nil || p.isDryRun() {
				return err
			}
			return p.follow(c, task, following{limit: limit, codeOfFailure: exitNo})
		},
	}
	cmd.Flags().StringVar(&fees, "fees", "", "`coins`, such as 4000usei")
	cmd.Flags().StringVar(&gas, "gas", "", "limit of gas, such as `200000`")
	cmd.Flags().StringVar(&key, "key", "", "`name` of a key of the node's keyring; by default that of the node's spec")
	addTimeout(cmd, &timeout, "stop waiting after that `duration`; the task goes on")
	p.addDryRun(cmd)
	p.completesNames(cmd, true, nodes)
	return cmd
}

func (t transaction) addCosts(cmd *cobra.Command, fees, gas, key string) error {
	for _, flag := range []string{"fees", "gas"} {
		if !cmd.Flags().Changed(flag) {
			return misused(cmd, "%s needs --%s", cmd.Name(), flag)
		}
	}
	limit, err := numberOf(cmd, "gas", gas)
	if err != nil {
		return err
	}
	amount, err := wordOf(cmd, fees)
	if err != nil {
		return err
	}
	t.parameters["gas"], t.parameters["fees"] = limit, amount
	if key == "" {
		return nil
	}
	t.parameters["keyName"], err = wordOf(cmd, key)
	return err
}

var (
	number = regexp.MustCompile(`^(0|[1-9][0-9]*)$`)
	word   = regexp.MustCompile(`^[A-Za-z0-9_.-]+$`)
)

func numberOf(cmd *cobra.Command, flag, text string) (json.Number, error) {
	if !number.MatchString(text) {
		return "", misused(cmd, "--%s must be a number, not '%s'", flag, text)
	}
	return json.Number(text), nil
}

func wordOf(cmd *cobra.Command, text string) (string, error) {
	if !word.MatchString(text) {
		return "", misused(cmd, "'%s' is no option, amount or name", text)
	}
	return text, nil
}

// createTask creates the task of a transaction of a node, and prints its name.
func (p *plugin) createTask(c *cluster, name string, t transaction) (*object, error) {
	node := &object{}
	if err := c.get(nodes, c.namespace, name, node); err != nil {
		return nil, err
	}
	t.parameters["chainId"] = node.Spec.ChainID
	body, err := json.Marshal(map[string]any{
		"apiVersion": tasks.groupVersion().String(),
		"kind":       tasks.kind,
		"metadata":   t.metadata,
		"spec": map[string]any{
			"kind":    t.kind,
			"target":  map[string]any{"nodeRef": map[string]any{"name": name}},
			t.payload: t.parameters,
		},
	})
	if err != nil {
		return nil, err
	}
	answer := body
	if p.dryRun != dryRunOfClient {
		answer, err = c.create(tasks, c.namespace, body, write{dryRun: p.isDryRun(), strict: true})
	}
	if err != nil {
		return nil, err
	}
	created := &object{}
	if err := json.Unmarshal(answer, created); err != nil {
		return nil, err
	}
	shown := orElse(created.Metadata.Name, created.Metadata.GenerateName)
	fmt.Fprintf(p.Out, "%s created%s\n", nameOf(tasks, shown), p.dryRunNote())
	return created, nil
}
