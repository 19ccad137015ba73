package main

import (
	"fmt"
	"math"
	"net"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/cosmos/cosmos-sdk/server"
	"github.com/spf13/cobra"
	"github.com/tendermint/tendermint/crypto/ed25519"
	"github.com/tendermint/tendermint/libs/log"
	p2pconn "github.com/tendermint/tendermint/p2p/conn"
	"github.com/tendermint/tendermint/privval"
)

// signerCommand is a remote signer: it dials a node and signs what that asks for, over a SecretConnection.
// Its key and its state are files as seid has them, and so is the rule that it keeps: no height, round
// and step twice with other content. Without a state it does not start.
func signerCommand() *cobra.Command {
	var chain, address, key, state string
	command := &cobra.Command{
		Use:   "signer",
		Short: "Sign for a node that listens for a remote signer",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			for _, file := range []string{key, state} {
				if _, err := os.Stat(file); err != nil {
					return fmt.Errorf("nothing is signed without it: %w", err)
				}
			}
			endpoint := privval.NewSignerDialerEndpoint(log.NewTMLogger(os.Stdout),
				func() (net.Conn, error) { return dial(address) },
				privval.SignerDialerEndpointConnRetries(math.MaxInt),
				privval.SignerDialerEndpointRetryWaitInterval(200*time.Millisecond))
			signer := privval.NewSignerServer(endpoint, chain, privval.LoadFilePV(key, state))
			if err := signer.Start(); err != nil {
				return err
			}
			asked := make(chan os.Signal, 1)
			signal.Notify(asked, syscall.SIGTERM, syscall.SIGINT)
			<-asked
			return signer.Stop()
		},
	}
	for flag, value := range map[string]*string{
		"chain-id": &chain,
		"dial":     &address,
		"key":      &key,
		"state":    &state,
	} {
		command.Flags().StringVar(value, flag, "", "")
		_ = command.MarkFlagRequired(flag)
	}
	return command
}

// dial gives up soon: the address may be that of a pod that goes just then, of which no answer comes.
func dial(address string) (net.Conn, error) {
	connection, err := net.DialTimeout("tcp", strings.TrimPrefix(address, "tcp://"), time.Second)
	if err != nil {
		return nil, err
	}
	if err := connection.SetDeadline(time.Now().Add(3 * time.Second)); err != nil {
		return nil, err
	}
	return p2pconn.MakeSecretConnection(connection, ed25519.GenPrivKey())
}

// CometBFT 0.34 has the address for a signer elsewhere in its file, and no such table; seid has.
const signersTable = `
[priv-validator]
laddr = ""
`

// addSignersTable gives a configuration file the table that seid's has.
func addSignersTable(file string) error {
	content, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(content, signersTable...), 0o644)
}

// listenForSigner has the node listen where that table says.
func listenForSigner(context *server.Context) {
	if address := context.Viper.GetString("priv-validator.laddr"); address != "" {
		context.Config.PrivValidatorListenAddr = address
	}
}
