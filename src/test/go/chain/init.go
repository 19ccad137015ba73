package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/cosmos/cosmos-sdk/server"
	sdk "github.com/cosmos/cosmos-sdk/types"
	"github.com/spf13/cobra"
)

// planning makes the SDK's init leave a home with the planned upgrades and seid's coin in its genesis,
// and with a configuration that fits a pod.
func planning(init *cobra.Command) {
	run := init.RunE
	init.RunE = func(c *cobra.Command, args []string) error {
		plans, err := parsePlans(os.Getenv("UPGRADE_PLANS"))
		if err != nil {
			return err
		}
		if err := run(c, args); err != nil {
			return err
		}
		made := server.GetServerContextFromCmd(c).Config
		if err := schedule(made.GenesisFile(), plans); err != nil {
			return err
		}
		config := filepath.Join(made.RootDir, "config")
		if err := addSignersTable(filepath.Join(config, "config.toml")); err != nil {
			return err
		}
		return configure(config)
	}
}

func parsePlans(text string) ([]plan, error) {
	plans := []plan{}
	for _, word := range strings.Fields(text) {
		what, info, _ := strings.Cut(word, "=")
		name, at, _ := strings.Cut(what, "@")
		height, err := strconv.ParseInt(at, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("UPGRADE_PLANS has no height in %q: %w", word, err)
		}
		plans = append(plans, plan{name, height, info})
	}
	return plans, nil
}

func schedule(genesis string, plans []plan) error {
	content, err := os.ReadFile(genesis)
	if err != nil {
		return err
	}
	var document map[string]any
	if err := json.Unmarshal(content, &document); err != nil {
		return err
	}
	state := document["app_state"].(map[string]any)
	state["upgrade_plans"] = plans
	inCoin(state)
	// With the default of a second the time of fast blocks would run ahead of the clock.
	document["consensus_params"].(map[string]any)["block"].(map[string]any)["time_iota_ms"] = "1"
	if content, err = json.MarshalIndent(document, "", " "); err != nil {
		return err
	}
	return os.WriteFile(genesis, content, 0o644)
}

// inCoin puts seid's coin in place of the SDK's, wherever that is.
func inCoin(value any) {
	switch v := value.(type) {
	case map[string]any:
		for key, inner := range v {
			if inner == sdk.DefaultBondDenom {
				v[key] = denomination
			}
			inCoin(inner)
		}
	case []any:
		for _, inner := range v {
			inCoin(inner)
		}
	}
}

type setting struct{ file, section, key, value string }

// configure makes the RPC and the metrics reachable from outside the pod. The REST and gRPC servers are
// off: each keeps a process of SDK 0.45 from hearing a SIGTERM for five seconds.
func configure(directory string) error {
	blocks := os.Getenv("BLOCK_TIME")
	if blocks == "" {
		blocks = "1s"
	}
	for _, s := range []setting{
		{"config", "consensus", "timeout_commit", strconv.Quote(blocks)},
		// In a network, each turn of a validator that is away takes this long.
		{"config", "consensus", "timeout_propose", `"1s"`},
		{"config", "rpc", "laddr", `"tcp://0.0.0.0:26657"`},
		{"config", "rpc", "pprof_laddr", `""`},
		// Pods have private addresses.
		{"config", "p2p", "addr_book_strict", "false"},
		{"config", "instrumentation", "prometheus", "true"},
		// As in the configuration that Sei's sidecar writes.
		{"config", "instrumentation", "namespace", `"tendermint"`},
		// Snapshots for state sync may then be made at any height.
		{"app", "", "pruning", `"nothing"`},
		{"app", "api", "enable", "false"},
		{"app", "grpc", "enable", "false"},
		{"app", "grpc-web", "enable", "false"},
	} {
		file := filepath.Join(directory, s.file+".toml")
		content, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		section := `^\[` + s.section + `\].*?`
		if s.section == "" {
			section = ""
		}
		line := regexp.MustCompile(`(?ms)(` + section + `^` + s.key + ` = )[^\n]*`)
		if !line.Match(content) {
			return fmt.Errorf("%s: no %s in [%s]", file, s.key, s.section)
		}
		if err := os.WriteFile(file, line.ReplaceAll(content, []byte("${1}"+s.value)), 0o644); err != nil {
			return err
		}
	}
	return nil
}
