package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	tendermint "github.com/tendermint/tendermint/config"
)

const denomination = "usei"

// beginAlone gives a home that has the genesis of init, without a validator, a chain of its own: its
// node is the one validator. seid does no such thing, and would make no block.
func beginAlone(home *tendermint.Config) error {
	chain, validators, err := validatorsOf(home.GenesisFile())
	if err != nil || validators > 0 {
		return err
	}
	if _, err := os.Stat(filepath.Join(home.DBDir(), "state.db")); err == nil {
		return nil
	}
	// Whoever is killed here begins again with the genesis of init.
	scratch, err := os.MkdirTemp(home.RootDir, ".alone")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	for _, file := range []string{home.Genesis, home.PrivValidatorKey, home.PrivValidatorState, home.NodeKey} {
		if err := copyFile(filepath.Join(home.RootDir, file), filepath.Join(scratch, file)); err != nil {
			return err
		}
	}
	const backend = "--keyring-backend=test"
	for _, command := range [][]string{
		{"keys", "add", "validator", backend},
		{"add-genesis-account", "validator", "500000000" + denomination, backend},
		{"gentx", "validator", "100000000" + denomination, "--chain-id", chain, backend},
		{"collect-gentxs"},
	} {
		if err := self(append(command, "--home", scratch)...); err != nil {
			return err
		}
	}
	return os.Rename(filepath.Join(scratch, home.Genesis), home.GenesisFile())
}

func validatorsOf(genesis string) (chain string, number int, err error) {
	content, err := os.ReadFile(genesis)
	if err != nil {
		return "", 0, err
	}
	var document struct {
		Chain      string            `json:"chain_id"`
		Validators []json.RawMessage `json:"validators"`
		AppState   struct {
			Genutil struct {
				Transactions []json.RawMessage `json:"gen_txs"`
			} `json:"genutil"`
		} `json:"app_state"`
	}
	err = json.Unmarshal(content, &document)
	return document.Chain, len(document.Validators) + len(document.AppState.Genutil.Transactions), err
}

func copyFile(from, to string) error {
	content, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	return os.WriteFile(to, content, 0o600)
}

// self runs another command of this program.
func self(arguments ...string) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	if said, err := exec.Command(program, arguments...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", arguments[0], err, said)
	}
	return nil
}
