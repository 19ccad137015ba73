// Chain is a small chain of the Cosmos SDK in place of seid. It halts at an upgrade height as seid
// does, because it is x/upgrade that halts it, in the words of Sei's own fork of it.
//
// One binary plays every version:
//
//	UPGRADE_HANDLERS=v2,v3   the upgrades that this version knows
//	UPGRADE_PLANS=v2@60      what a home that init makes has planned: NAME@HEIGHT or NAME@HEIGHT=INFO,
//	                         separated by blanks
//	BLOCK_TIME=200ms         the time between blocks of such a home
//	BUILD_VERSION=v7.0.0     the version that it says it is
//
// Its commands for keys, genesis and transactions are the SDK's, with seid's coin and prefix.
package main

import (
	"io"
	"os"

	"github.com/cosmos/cosmos-sdk/server"
	svrcmd "github.com/cosmos/cosmos-sdk/server/cmd"
	servertypes "github.com/cosmos/cosmos-sdk/server/types"
	"github.com/cosmos/cosmos-sdk/simapp"
	"github.com/cosmos/cosmos-sdk/simapp/simd/cmd"
	sdk "github.com/cosmos/cosmos-sdk/types"
	"github.com/cosmos/cosmos-sdk/version"
	"github.com/spf13/cobra"
	"github.com/tendermint/tendermint/libs/log"
	dbm "github.com/tendermint/tm-db"
)

func main() {
	version.Version = os.Getenv("BUILD_VERSION")
	sdk.GetConfig().SetBech32PrefixForAccount("sei", "seipub")
	sdk.GetConfig().SetBech32PrefixForValidator("seivaloper", "seivaloperpub")
	sdk.GetConfig().SetBech32PrefixForConsensusNode("seivalcons", "seivalconspub")
	root, encoding := cmd.NewRootCmd()
	for _, command := range root.Commands() {
		switch command.Name() {
		case "start":
			root.RemoveCommand(command)
		case "init":
			planning(command)
		}
	}
	create := func(l log.Logger, db dbm.DB, _ io.Writer, options servertypes.AppOptions) servertypes.Application {
		return newNode(l, db, encoding, options)
	}
	start := server.StartCmd(create, simapp.DefaultNodeHome)
	bind := start.PreRunE
	start.PreRunE = func(c *cobra.Command, args []string) error {
		if err := bind(c, args); err != nil {
			return err
		}
		context := server.GetServerContextFromCmd(c)
		if err := beginAlone(context.Config); err != nil {
			return err
		}
		listenForSigner(context)
		serve(context)
		return nil
	}
	root.AddCommand(start, signerCommand())
	if err := svrcmd.Execute(root, simapp.DefaultNodeHome); err != nil {
		os.Exit(1)
	}
}
