package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"
)

// plugin has what every command shares: the streams, and what the user typed before or after the command.
type plugin struct {
	genericiooptions.IOStreams
	config        *genericclioptions.ConfigFlags
	allNamespaces bool
	selector      string
	output        string
	dryRun        string
	watch         bool
	color         string
	// rows are those of the terminal, 0 where the output is none.
	rows int
	// hasPrinted is whether -o has printed an object before.
	hasPrinted bool
	root       *cobra.Command
}

func newRootCommand(streams genericiooptions.IOStreams) *cobra.Command {
	// Commands are listed in the order in which they are needed.
	cobra.EnableCommandSorting = false
	p := &plugin{IOStreams: streams, config: genericclioptions.NewConfigFlags(true)}
	root := &cobra.Command{
		Use:               "sei COMMAND [[TYPE/]NAME]",
		Short:             "Operates Sei nodes and fleets.",
		SilenceErrors:     true,
		SilenceUsage:      true,
		DisableAutoGenTag: true,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
		RunE: func(*cobra.Command, []string) error {
			fmt.Fprint(p.ErrOut, p.overview())
			return exitWith(exitUsage)
		},
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return p.checkFlags(cmd) },
	}
	p.root = root
	root.SetIn(streams.In)
	root.SetOut(streams.Out)
	root.SetErr(streams.ErrOut)
	p.config.AddFlags(root.PersistentFlags())
	// Nothing is cached.
	root.PersistentFlags().Lookup("cache-dir").Hidden = true
	p.silenceFilesAsValues()
	root.SetFlagErrorFunc(p.explainFlag)
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) { fmt.Fprint(p.Out, p.helpOf(cmd)) })
	root.SetHelpCommand(newHelpCommand(p))
	upgrades := newUpgradesCommand(p)
	upgrades.AddCommand(newUpgradesAddCommand(p))
	root.AddCommand(
		newTopCommand(p), newStatusCommand(p), newPlanCommand(p), newWhyCommand(p), newOrphansCommand(p),
		newExplainCommand(p), newDiffCommand(p), newWatchCommand(p), newWaitCommand(p),
		newRevisionsCommand(p), upgrades, newSnapshotsCommand(p), newDashboardCommand(p),
		newPauseCommand(p), newResumeCommand(p), newHoldCommand(p), newReleaseCommand(p),
		newSetImageCommand(p), newRollbackCommand(p), newRestartCommand(p), newRetryCommand(p), newGrowCommand(p),
		newResetDataCommand(p), newVoteCommand(p), newUnjailCommand(p),
		newRunbookCommand(p), newPreflightCommand(p), newSupportCommand(p), newVersionCommand(p),
		newOptionsCommand(p), newPageCommand(p))
	for _, command := range append(root.Commands(), upgrades.Commands()...) {
		command.Flags().SortFlags = false
		// Every command has it.
		command.InitDefaultHelpFlag()
		command.Flags().Lookup("help").Hidden = true
	}
	return root
}

// connect makes the client of the user's kubeconfig and flags.
func (p *plugin) connect(cmd *cobra.Command) (*cluster, error) {
	config, err := p.config.ToRESTConfig()
	if err != nil {
		return nil, err
	}
	namespace, _, err := p.config.ToRawKubeConfigLoader().Namespace()
	if err != nil {
		return nil, err
	}
	return newCluster(cmd.Context(), config, namespace, p.ErrOut)
}

// selection returns the objects that -n, -A and -l select.
func (p *plugin) selection(c *cluster) query {
	selected := query{namespace: c.namespace, labels: p.selector}
	if p.allNamespaces {
		selected.namespace = ""
	}
	return selected
}

// --- Flags ------------------------------------------------------------------------------------------------

func (p *plugin) addNamespaces(cmd *cobra.Command) {
	cmd.Flags().BoolVarP(&p.allNamespaces, "all-namespaces", "A", false, "look at every namespace")
}

func (p *plugin) addSelection(cmd *cobra.Command, formats ...string) {
	p.addNamespaces(cmd)
	cmd.Flags().StringVarP(&p.selector, "selector", "l", "", "look at objects with these labels, such as `a=b`")
	p.addOutput(cmd, formats...)
	check := cmd.PreRunE
	cmd.PreRunE = func(_ *cobra.Command, args []string) error {
		if len(args) > 0 && (p.allNamespaces || p.selector != "") {
			return misused(cmd, "a name goes with neither -A nor -l")
		}
		return check(cmd, args)
	}
}

func (p *plugin) addOutput(cmd *cobra.Command, formats ...string) {
	cmd.Flags().StringVarP(&p.output, "output", "o", "", "`format`: "+enumerate(formats, "or"))
	complete(cmd, "output", formats...)
	cmd.PreRunE = func(*cobra.Command, []string) error {
		if p.output != "" && !slices.Contains(formats, p.output) {
			return misused(cmd, "-o takes %s, not '%s'", enumerate(formats, "or"), p.output)
		}
		return nil
	}
}

// addOutputOfChange adds the flags of a command that changes objects.
func (p *plugin) addOutputOfChange(cmd *cobra.Command) {
	p.addDryRun(cmd)
	p.addOutput(cmd, "json", "yaml", "name")
}

const (
	dryRunOfServer = "server"
	dryRunOfClient = "client"
)

func (p *plugin) addDryRun(cmd *cobra.Command) {
	cmd.Flags().StringVar(&p.dryRun, "dry-run", "", "change nothing: `server` has the API server check the change, client does not send it")
	complete(cmd, "dry-run", dryRunOfServer, dryRunOfClient)
}

func (p *plugin) isDryRun() bool { return p.dryRun != "" }

func complete(cmd *cobra.Command, flag string, values ...string) {
	// It fails only for a flag that does not exist.
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)))
}

// silenceFilesAsValues has no shell complete file names, except for the flags that take files.
func (p *plugin) silenceFilesAsValues() {
	none := cobra.FixedCompletions(nil, cobra.ShellCompDirectiveNoFileComp)
	for _, flag := range []string{"namespace", "context", "cluster", "user", "server", "token"} {
		cobra.CheckErr(p.root.RegisterFlagCompletionFunc(flag, none))
	}
}

// checkFlags refuses a value that no flag can have.
func (p *plugin) checkFlags(cmd *cobra.Command) error {
	var err error
	cmd.Flags().Visit(func(flag *pflag.Flag) {
		if flag.Value.Type() == "string" && flag.Value.String() == "" && err == nil {
			err = misused(cmd, "--%s needs a value", flag.Name)
		}
	})
	if err != nil {
		return err
	}
	if !slices.Contains([]string{"", dryRunOfServer, dryRunOfClient}, p.dryRun) {
		return misused(cmd, "--dry-run=%s is not known: %s", p.dryRun, aboutDryRun)
	}
	return nil
}

const aboutDryRun = "--dry-run=server has the API server check the change and makes none; --dry-run=client does not send it"

// explainFlag names the commands that have a flag which this one has not.
func (p *plugin) explainFlag(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) {
		return p.explainUnknownFlag(cmd, unknown)
	}
	var empty *pflag.ValueRequiredError
	if errors.As(err, &empty) {
		if empty.GetSpecifiedName() == "dry-run" {
			return misused(cmd, "--dry-run needs a value: %s", aboutDryRun)
		}
		if empty.GetSpecifiedShortnames() != "" {
			return misused(cmd, "-%s needs a value", empty.GetSpecifiedName())
		}
		return misused(cmd, "--%s needs a value", empty.GetSpecifiedName())
	}
	return misused(cmd, "%s", err)
}

func (p *plugin) explainUnknownFlag(cmd *cobra.Command, unknown *pflag.NotExistError) error {
	name, typed := unknown.GetSpecifiedName(), "--"+unknown.GetSpecifiedName()
	isShort := unknown.GetSpecifiedShortnames() != ""
	if isShort {
		typed = "-" + name
	}
	var owners []string
	for _, other := range p.commands() {
		flag := other.Flags().Lookup(name)
		if isShort {
			flag = other.Flags().ShorthandLookup(name)
		}
		if flag != nil {
			owners = append(owners, pathOf(other))
			typed = "--" + flag.Name
		}
	}
	if len(owners) == 0 {
		return misused(cmd, "there is no flag '%s'", typed)
	}
	return misused(cmd, "%s is a flag of %s", typed, enumerate(owners, "and"))
}

func enumerate(words []string, conjunction string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " " + conjunction + " " + words[last]
}

// --- Names ------------------------------------------------------------------------------------------------

// aliases are the types that a user may write before a name.
var aliases = map[string]resourceType{
	"snd": fleets, "seinodedeployment": fleets, "seinodedeployments": fleets,
	"seinodedeployment.sei.io": fleets, "seinodedeployments.sei.io": fleets,
	"snode": nodes, "seinode": nodes, "seinodes": nodes, "seinode.sei.io": nodes, "seinodes.sei.io": nodes,
	"snt": tasks, "seinodetask": tasks, "seinodetasks": tasks, "seinodetask.sei.io": tasks, "seinodetasks.sei.io": tasks,
}

// targetOf reads the name that a command was given, which may be none, of one of the kinds.
func targetOf(cmd *cobra.Command, args []string, kinds ...resourceType) (target, error) {
	if len(args) == 0 {
		return target{}, nil
	}
	if args[0] == "" {
		return target{}, misused(cmd, "the name is empty")
	}
	typed, name, hasType := strings.Cut(args[0], "/")
	if !hasType {
		return target{name: args[0]}, nil
	}
	kind, isKnown := aliases[typed]
	if !isKnown || kind == tasks && !slices.Contains(kinds, tasks) {
		return target{}, misused(cmd, "'%s' is neither snd nor snode", typed)
	}
	if name == "" {
		return target{}, misused(cmd, "'%s' has no name after the type", args[0])
	}
	return target{kind: &kind, name: name}, nil
}

func noName(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return misused(cmd, "%s takes no name", cmd.Name())
	}
	return nil
}

func optionalName(cmd *cobra.Command, args []string) error {
	if len(args) > 1 {
		return misused(cmd, "only one name is allowed, not '%s' and '%s'", args[0], args[1])
	}
	return nil
}

func oneName(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return misused(cmd, "%s needs a name", cmd.Name())
	}
	return optionalName(cmd, args)
}

// settle returns the one object to change that a name means.
func (c *cluster) settle(cmd *cobra.Command, t target) (*object, error) {
	found, err := c.read(t)
	if err != nil {
		return nil, err
	}
	if len(found) > 1 {
		return nil, misused(cmd, "there is a fleet and a node '%s': use snd/%s or snode/%s", t.name, t.name, t.name)
	}
	return found[0], nil
}

// completesNames offers the objects of the kinds, with their types unless there is only one that needs none.
func (p *plugin) completesNames(cmd *cobra.Command, withoutType bool, kinds ...resourceType) {
	cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 && !strings.Contains(cmd.Use, "NAME...") {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		c, err := p.connect(cmd)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var offered []string
		for _, kind := range kinds {
			found, err := list[*object](c, kind, query{namespace: c.namespace})
			if err != nil {
				continue
			}
			for _, object := range found {
				object.Kind = kind.kind
				name := object.ref()
				if withoutType {
					name = object.Metadata.Name
				}
				if strings.HasPrefix(name, typed) {
					offered = append(offered, name)
				}
			}
		}
		return offered, cobra.ShellCompDirectiveNoFileComp
	}
}

func newHelpCommand(p *plugin) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "explain a command",
		ValidArgsFunction: func(_ *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
			var offered []string
			for _, command := range p.root.Commands() {
				if len(args) == 0 && !command.Hidden && strings.HasPrefix(command.Name(), typed) {
					offered = append(offered, command.Name())
				}
			}
			return offered, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				fmt.Fprint(p.Out, p.overview())
				return nil
			}
			command, rest, err := p.root.Find(args)
			if err != nil {
				return misused(nil, "there is no command '%s'", args[0])
			}
			if len(rest) > 0 {
				return optionalName(cmd, args)
			}
			fmt.Fprint(p.Out, p.helpOf(command))
			return nil
		},
	}
}

func printTo(out io.Writer) func(format string, values ...any) {
	return func(format string, values ...any) { fmt.Fprintf(out, format, values...) }
}

// onTarget runs a command on the objects that its arguments name, once the cluster is reached.
func (p *plugin) onTarget(
	run func(*cobra.Command, *cluster, target) error,
) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		named, err := targetOf(cmd, args)
		if err != nil {
			return err
		}
		c, err := p.connect(cmd)
		if err != nil {
			return err
		}
		return run(cmd, c, named)
	}
}
