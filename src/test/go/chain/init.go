package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/cosmos/cosmos-sdk/client/flags"
	"github.com/spf13/cobra"
)

// initCommand is called as seid's init is, and makes a home that is a chain of its own: its node is
// the one validator.
func initCommand() *cobra.Command {
	var home, chain string
	c := &cobra.Command{
		Use:               "init MONIKER",
		Short:             "Make the home of a chain with one validator",
		Args:              cobra.ExactArgs(1),
		PersistentPreRunE: func(*cobra.Command, []string) error { return nil },
		RunE:              func(*cobra.Command, []string) error { return makeHome(home, chain) },
	}
	c.Flags().StringVar(&home, flags.FlagHome, "", "directory of the home")
	c.Flags().StringVar(&chain, flags.FlagChainID, "", "id of the chain")
	c.Flags().Bool("overwrite", false, "accepted, because seid needs it")
	_ = c.MarkFlagRequired(flags.FlagHome)
	_ = c.MarkFlagRequired(flags.FlagChainID)
	return c
}

func makeHome(home, chain string) error {
	plans, err := parsePlans(os.Getenv("UPGRADE_PLANS"))
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	// The command that makes a genesis with a validator makes homes in directories of its own.
	if err := os.MkdirAll(home, 0o755); err != nil {
		return err
	}
	scratch, err := os.MkdirTemp(home, ".init")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	testnet := exec.Command(self, "testnet", "--home", filepath.Join(scratch, "client"), "--v", "1",
		"--output-dir", filepath.Join(scratch, "out"), "--chain-id", chain, "--node-daemon-home", "",
		"--keyring-backend", "test", "--starting-ip-address", "127.0.0.1", "--minimum-gas-prices", "0stake")
	if said, err := testnet.CombinedOutput(); err != nil {
		return fmt.Errorf("testnet: %w\n%s", err, said)
	}
	made := filepath.Join(scratch, "out", "node0")
	if err := schedule(filepath.Join(made, "config", "genesis.json"), plans); err != nil {
		return err
	}
	if err := configure(filepath.Join(made, "config")); err != nil {
		return err
	}
	for _, part := range []string{"config", "data"} {
		if err := os.RemoveAll(filepath.Join(home, part)); err != nil {
			return err
		}
		if err := os.Rename(filepath.Join(made, part), filepath.Join(home, part)); err != nil {
			return err
		}
	}
	return nil
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
	document["app_state"].(map[string]any)["upgrade_plans"] = plans
	// With the default of a second the time of fast blocks would run ahead of the clock.
	document["consensus_params"].(map[string]any)["block"].(map[string]any)["time_iota_ms"] = "1"
	if content, err = json.MarshalIndent(document, "", " "); err != nil {
		return err
	}
	return os.WriteFile(genesis, content, 0o644)
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
		{"config", "rpc", "laddr", `"tcp://0.0.0.0:26657"`},
		{"config", "rpc", "pprof_laddr", `""`},
		{"config", "instrumentation", "prometheus", "true"},
		// As in the configuration that Sei's sidecar writes.
		{"config", "instrumentation", "namespace", `"tendermint"`},
		{"app", "api", "enable", "false"},
		{"app", "grpc", "enable", "false"},
		{"app", "grpc-web", "enable", "false"},
	} {
		file := filepath.Join(directory, s.file+".toml")
		content, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		line := regexp.MustCompile(`(?ms)(^\[` + s.section + `\].*?^` + s.key + ` = )[^\n]*`)
		if !line.Match(content) {
			return fmt.Errorf("%s: no %s in [%s]", file, s.key, s.section)
		}
		if err := os.WriteFile(file, line.ReplaceAll(content, []byte("${1}"+s.value)), 0o644); err != nil {
			return err
		}
	}
	return nil
}
