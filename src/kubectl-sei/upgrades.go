package main

import (
	"fmt"
	"io"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

func newUpgradesCommand(p *plugin) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "upgrades [NAME]",
		Short: "list the chain's upgrades: which are planned, listed, pulled and applied",
		Long: `
Lists the upgrades of each fleet and node: name, height, how far it is, and image. Below each that is ahead of a node:
whether its image was pulled, which seid it contains, whether the node's files have what that needs, and when the height is
expected. What the chain has planned and spec.upgrades does not list is in a line of its own, and so is a halt for it.
Without a name only objects with an upgrade are shown.

How long a chain still takes to reach a height is a metric of the operator; it needs the right to get pods/proxy in its
namespace, and is left out without it.`,
		Args: optionalName,
		RunE: p.onTarget(func(_ *cobra.Command, c *cluster, named target) error {
			return p.upgrades(c, named)
		}),
	}
	p.addSelection(cmd, "json", "yaml")
	p.completesNames(cmd, false, fleets, nodes)
	return cmd
}

func (p *plugin) upgrades(c *cluster, named target) error {
	found, err := c.withNodes(named, p.selection(c))
	if err != nil {
		return err
	}
	left := p.countdown(c, found)
	if p.output != "" {
		return p.print(upgradeList{Items: upgradeItems(found), Countdown: left})
	}
	var hasAny bool
	for _, object := range found {
		isAsked := named.isNamed() && object.Metadata.Name == named.name && named.isOf(kindOf(object))
		if isAsked || !named.isNamed() && hasUpgrades(object) {
			hasAny = true
			printUpgrades(p.Out, object, left)
		}
	}
	if !hasAny {
		fmt.Fprintln(p.ErrOut, "kubectl-sei: no upgrade is listed or known to be planned")
	}
	for _, chain := range left {
		seconds := chain.SecondsLeft
		fmt.Fprintf(p.Out, "%s is to reach %s in %d d %d h %d min\n",
			chain.ChainID, chain.Upgrade, seconds/86400, seconds%86400/3600, seconds%3600/60)
	}
	return nil
}

func hasUpgrades(o *object) bool {
	return len(o.Status.Upgrades) > 0 || o.condition("UpgradesReady").Status != ""
}

// haltMessage finds in a message of the operator the halt for an upgrade that is not listed. The node's log chooses the
// name.
var haltMessage = regexp.MustCompile(`seid halted for upgrade "(.*)" at height (\d+), `)

func printUpgrades(out io.Writer, o *object, left []chainCountdown) {
	printf := printTo(out)
	printf("%s\n", o.ref())
	for _, u := range o.Status.Upgrades {
		origin := ""
		if u.Source != "" {
			origin = " (listed by the operator)"
		}
		printf("    %-16s %12d  %-9s %s%s\n", u.Name, u.Height, orElse(u.State, u.Reached), u.Image, origin)
		if !o.isFleet() && u.State != "Applied" {
			printf("    %-16s %s\n", "", u.preparation(expectedAt(o.chainID(), u, left)))
		}
	}
	if ready := o.condition("UpgradesReady"); ready.Status != "" {
		if halt := haltMessage.FindStringSubmatch(ready.Message); ready.Reason == "NotListed" && halt != nil {
			printf("    %-16s %12s  HALTED, not listed\n", halt[1], halt[2])
		}
		printf("    %s: %s\n", ready.Reason, oneLine(ready.Message))
	}
	if !hasUpgrades(o) {
		printf("    no upgrade is listed, and none is known to be planned\n")
	}
}

// preparation says how far a node is prepared for an upgrade: pulled, inspected, gated, expected. Words of images and
// registries are printed as one line.
func (u upgrade) preparation(expected string) string {
	pulled := "not pulled yet"
	switch {
	case u.PullError != "":
		pulled = "not pulled: " + u.PullError
	case u.PulledAt != "":
		pulled = "pulled " + u.PulledAt
	}
	inspected := "not inspected yet"
	switch {
	case u.InspectionError != "":
		inspected = "inspected: " + u.InspectionError
	case u.SeidVersion != "":
		inspected = "inspected: seid " + u.SeidVersion
	}
	gated := "files: nothing to compare"
	if c := u.Configuration; c != nil {
		gated = "files: " + c.State
		if c.Message != "" {
			gated += ", " + c.Message
		}
	}
	return oneLine(strings.Join([]string{pulled, inspected, gated, expected}, "; "))
}

// expectedAt is when a node's chain is expected to reach an upgrade: as its status says in the last hour, before that by
// the metrics.
func expectedAt(chain string, u upgrade, left []chainCountdown) string {
	if u.ExpectedAt != "" {
		return "expected " + u.ExpectedAt
	}
	for _, c := range left {
		if c.ChainID == chain && c.Upgrade == u.Name {
			at := time.Now().Add(time.Duration(c.SecondsLeft) * time.Second)
			return "expected " + at.UTC().Truncate(time.Minute).Format(time.RFC3339)
		}
	}
	return "expected at an unknown time"
}

// chainCountdown is how long until a chain reaches what it has planned, at the rate of its last hour.
type chainCountdown struct {
	ChainID     string `json:"chainId"`
	Upgrade     string `json:"upgrade"`
	SecondsLeft int64  `json:"secondsLeft"`
}

// countdown reads it of the nodes of the namespaces that were asked for: those of another one may lie.
func (p *plugin) countdown(c *cluster, found []*object) []chainCountdown {
	type chainOf struct{ namespace, chain string }
	asked, seen := map[chainOf]bool{}, map[chainCountdown]bool{}
	for _, object := range found {
		if !object.isFleet() {
			asked[chainOf{object.Metadata.Namespace, object.chainID()}] = true
		}
	}
	left := []chainCountdown{}
	now := time.Now().Unix()
	p.metrics(c, func(sample metric) {
		chain, name := sample.labels["chain"], sample.labels["upgrade"]
		if sample.name != "sei_chain_upgrade_time_seconds" || !asked[chainOf{sample.labels["namespace"], chain}] {
			return
		}
		key := chainCountdown{ChainID: chain, Upgrade: name}
		if seen[key] {
			return
		}
		seen[key] = true
		key.SecondsLeft = max(0, int64(sample.value)-now)
		left = append(left, key)
	})
	return left
}

// upgradeList is what kubectl sei upgrades -o json prints.
type upgradeList struct {
	Items     []upgradeItem    `json:"items"`
	Countdown []chainCountdown `json:"countdown"`
}

type upgradeItem struct {
	Kind      string          `json:"kind"`
	Namespace string          `json:"namespace"`
	Name      string          `json:"name"`
	ChainID   string          `json:"chainId"`
	Upgrades  []listedUpgrade `json:"upgrades"`
	Reason    string          `json:"reason,omitempty"`
	Message   string          `json:"message,omitempty"`
}

type listedUpgrade struct {
	Name    string `json:"name"`
	Height  int64  `json:"height"`
	Image   string `json:"image"`
	State   string `json:"state,omitempty"`
	Reached string `json:"reached,omitempty"`
	Source  string `json:"source,omitempty"`

	PulledAt        string                `json:"pulledAt,omitempty"`
	PullError       string                `json:"pullError,omitempty"`
	SeidVersion     string                `json:"seidVersion,omitempty"`
	InspectionError string                `json:"inspectionError,omitempty"`
	Configuration   *upgradeConfiguration `json:"configuration,omitempty"`
	ExpectedAt      string                `json:"expectedAt,omitempty"`
}

func upgradeItems(found []*object) []upgradeItem {
	items := []upgradeItem{}
	for _, o := range found {
		if !hasUpgrades(o) {
			continue
		}
		ready := o.condition("UpgradesReady")
		item := upgradeItem{
			Kind: o.Kind, Namespace: o.Metadata.Namespace, Name: o.Metadata.Name, ChainID: o.chainID(),
			Upgrades: []listedUpgrade{}, Reason: ready.Reason, Message: ready.Message,
		}
		for _, u := range o.Status.Upgrades {
			item.Upgrades = append(item.Upgrades, listedUpgrade{
				Name: u.Name, Height: u.Height, Image: u.Image, State: u.State, Reached: u.Reached, Source: u.Source,
				PulledAt: u.PulledAt, PullError: u.PullError, SeidVersion: u.SeidVersion,
				InspectionError: u.InspectionError, Configuration: u.Configuration, ExpectedAt: u.ExpectedAt,
			})
		}
		items = append(items, item)
	}
	return items
}
