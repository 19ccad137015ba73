package main

import (
	_ "embed"
	"fmt"
	"strings"
	"text/template"

	"github.com/spf13/cobra"
)

// overview is the help without a command.
func (p *plugin) overview() string {
	var text strings.Builder
	printf := printTo(&text)
	printf("%s\n\nUsage: kubectl %s [flags]\n\n", p.root.Short, p.root.Use)
	for _, command := range p.commands() {
		printf("  %-24s %s\n", usageOf(command), command.Short)
	}
	printf("\n%s", aboutNames)
	printf("\n%s", aboutExitCodes)
	return text.String()
}

const aboutNames = `TYPE is snd (a fleet, SeiNodeDeployment) or snode (a node, SeiNode). Without it both are looked up. wait and watch take
snt (a task, SeiNodeTask) too.
kubectl sei options lists the flags of kubectl that every command takes (-n, --context, ...).
SEI_RUNBOOKS is the location of the runbooks, a directory or a URL.
`

const aboutExitCodes = `Exit codes:
  0   done; wait, watch: it has converged; why: there is no problem; explain, diff: nothing would change;
      preflight: nothing would be lost
  1   not done; wait, watch: it does not converge without a person; why: there is a problem; explain, diff: something
      would change; preflight: something would be lost
  2   wrong usage; wait, watch, why, explain, diff, preflight: no answer, such as for an object that is not there
  3   wait, watch, vote, unjail: out of time
`

// commands returns every command and the commands below it, in the order in which help lists them.
func (p *plugin) commands() []*cobra.Command {
	var all []*cobra.Command
	for _, command := range p.root.Commands() {
		if !command.Hidden {
			all = append(append(all, command), command.Commands()...)
		}
	}
	return all
}

// usageOf is the command line of a command without its flags.
func usageOf(cmd *cobra.Command) string {
	_, arguments, _ := strings.Cut(cmd.Use, " ")
	return strings.TrimSpace(pathOf(cmd) + " " + arguments)
}

// helpOf is the help of one command: usage, what it does, its flags.
func (p *plugin) helpOf(cmd *cobra.Command) string {
	if cmd == p.root {
		return p.overview()
	}
	var text strings.Builder
	printf := printTo(&text)
	printf("Usage: kubectl sei %s\n\n%s\n", usageOf(cmd), strings.TrimSpace(orElse(cmd.Long, cmd.Short)))
	if flags := cmd.LocalFlags().FlagUsagesWrapped(120); flags != "" {
		printf("\nFlags:\n%s", flags)
	}
	return text.String()
}

func newOptionsCommand(p *plugin) *cobra.Command {
	return &cobra.Command{
		Use:   "options",
		Short: "list the flags of kubectl that every command takes",
		Args:  noName,
		RunE: func(*cobra.Command, []string) error {
			fmt.Fprint(p.Out, p.root.PersistentFlags().FlagUsagesWrapped(120))
			return nil
		},
	}
}

//go:embed page.md
var page string

// newPageCommand prints docs/kubectl-plugin.md, so that the page says what the help says.
func newPageCommand(p *plugin) *cobra.Command {
	return &cobra.Command{
		Use:    "page",
		Short:  "print the page of the documentation that is made from this help",
		Hidden: true,
		Args:   noName,
		RunE: func(*cobra.Command, []string) error {
			var commands []string
			for _, command := range p.commands() {
				if command.Name() != "help" {
					commands = append(commands, fmt.Sprintf("### %s\n\n```\n%s```\n", pathOf(command), p.helpOf(command)))
				}
			}
			made, err := template.New("page").Delims("[[", "]]").Parse(page)
			if err != nil {
				return err
			}
			return made.Execute(p.Out, map[string]string{
				"Overview": p.overview(), "Commands": strings.Join(commands, "\n"),
			})
		},
	}
}
