package main

import (
	"path/filepath"

	"github.com/cosmos/cosmos-sdk/baseapp"
	"github.com/cosmos/cosmos-sdk/server"
	servertypes "github.com/cosmos/cosmos-sdk/server/types"
	"github.com/cosmos/cosmos-sdk/snapshots"
	sdk "github.com/cosmos/cosmos-sdk/types"
	"github.com/spf13/cast"
)

// withSnapshots keeps snapshots of the state where seid does, makes them as [state-sync] of app.toml
// says, and serves them to nodes that begin with state sync.
func withSnapshots(home string, options servertypes.AppOptions) func(*baseapp.BaseApp) {
	directory := filepath.Join(home, "data", "snapshots")
	index, err := sdk.NewLevelDB("metadata", directory)
	if err != nil {
		panic(err)
	}
	kept, err := snapshots.NewStore(index, directory)
	if err != nil {
		panic(err)
	}
	return func(app *baseapp.BaseApp) {
		app.SetSnapshotStore(kept)
		app.SetSnapshotInterval(cast.ToUint64(options.Get(server.FlagStateSyncSnapshotInterval)))
		app.SetSnapshotKeepRecent(cast.ToUint32(options.Get(server.FlagStateSyncSnapshotKeepRecent)))
	}
}
