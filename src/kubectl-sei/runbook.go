package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

//go:embed runbooks.json
var runbooksFile []byte

// pages are the runbooks by name. The build writes docs/runbooks to runbooks.json.
var pages = readPages()

// indexOfPages is the page that lists the others by reason and alert.
const indexOfPages = "README"

func readPages() map[string]string {
	var read map[string]string
	if err := json.Unmarshal(runbooksFile, &read); err != nil {
		panic("runbooks.json: " + err.Error()) // A build with such a file fails its tests.
	}
	return read
}

func newRunbookCommand(p *plugin) *cobra.Command {
	return &cobra.Command{
		Use:   "runbook [REASON [NAME]]",
		Short: "print the runbook of a reason or an alert; without one list them",
		Long: `
Prints the runbook of a reason that kubectl sei why or a condition names, or of an alert, as of the version of this
plugin. With the NAME of a fleet or a node the commands are for that one: NODE, FLEET and NS are replaced.`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 2 {
				return misused(cmd, "only a reason and a name are allowed")
			}
			return nil
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
			var offered []string
			for _, name := range namesOfPages() {
				if len(args) == 0 && strings.HasPrefix(name, typed) {
					offered = append(offered, name)
				}
			}
			return offered, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				for _, name := range namesOfPages() {
					fmt.Fprintln(p.Out, name)
				}
				return nil
			}
			text, isKnown := pages[pageNamed(args[0])]
			if !isKnown {
				return misused(cmd, "there is no runbook '%s'; kubectl sei runbook lists them", args[0])
			}
			if len(args) == 2 {
				c, object, err := p.settled(cmd, args[1:])
				if err != nil {
					return err
				}
				text = fillIn(text, c.namespace, object)
			}
			fmt.Fprint(p.Out, text)
			return nil
		},
	}
}

func namesOfPages() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(pages)), func(name string) bool { return name == indexOfPages })
}

var linkToPage = regexp.MustCompile(`\[([^\]]+)\]\((\w+)\.md\)`)

// pageNamed returns the page of a reason or an alert: the one of that name, else the one that the index links under it.
func pageNamed(reason string) string {
	for _, name := range namesOfPages() {
		if strings.EqualFold(name, reason) {
			return name
		}
	}
	for _, link := range linkToPage.FindAllStringSubmatch(pages[indexOfPages], -1) {
		for alert := range strings.FieldsFuncSeq(link[1], func(char rune) bool { return strings.ContainsRune(", \n", char) }) {
			if strings.EqualFold(alert, reason) {
				return link[2]
			}
		}
	}
	return ""
}

var placeholder = regexp.MustCompile(`\b(?:NS|NODE|FLEET)\b`)

// fillIn replaces the words that stand for a namespace, a node and its fleet. What an object does not have is left.
func fillIn(text, namespace string, o *object) string {
	names := map[string]string{"NS": namespace}
	if o.isFleet() {
		names["FLEET"] = o.Metadata.Name
	} else {
		names["NODE"], names["FLEET"] = o.Metadata.Name, o.Metadata.Labels[fleetLabel]
	}
	return placeholder.ReplaceAllStringFunc(text, func(word string) string { return orElse(names[word], word) })
}
