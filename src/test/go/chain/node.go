package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/cosmos/cosmos-sdk/baseapp"
	"github.com/cosmos/cosmos-sdk/client/flags"
	"github.com/cosmos/cosmos-sdk/server"
	servertypes "github.com/cosmos/cosmos-sdk/server/types"
	"github.com/cosmos/cosmos-sdk/simapp"
	"github.com/cosmos/cosmos-sdk/simapp/params"
	"github.com/cosmos/cosmos-sdk/store"
	sdk "github.com/cosmos/cosmos-sdk/types"
	"github.com/cosmos/cosmos-sdk/types/module"
	upgradetypes "github.com/cosmos/cosmos-sdk/x/upgrade/types"
	"github.com/spf13/cast"
	abci "github.com/tendermint/tendermint/abci/types"
	"github.com/tendermint/tendermint/libs/log"
	dbm "github.com/tendermint/tm-db"
)

// plan is an upgrade that the genesis file schedules.
type plan struct {
	Name   string `json:"name"`
	Height int64  `json:"height,string"`
	Info   string `json:"info"`
}

type node struct {
	*simapp.SimApp
	home     string
	plans    []plan
	handlers []string
}

func newNode(l log.Logger, db dbm.DB, encoding params.EncodingConfig, options servertypes.AppOptions) *node {
	home := cast.ToString(options.Get(flags.FlagHome))
	pruning, err := server.GetPruningOptionsFromFlags(options)
	if err != nil {
		panic(err)
	}
	n := &node{
		home:     home,
		plans:    plansOf(filepath.Join(home, "config", "genesis.json")),
		handlers: strings.FieldsFunc(os.Getenv("UPGRADE_HANDLERS"), func(r rune) bool { return r == ',' }),
	}
	n.SimApp = simapp.NewSimApp(l, db, nil, false, map[int64]bool{}, home, 0, encoding, options,
		baseapp.SetPruning(pruning),
		baseapp.SetMinGasPrices(cast.ToString(options.Get(server.FlagMinGasPrices))),
		baseapp.SetHaltHeight(cast.ToUint64(options.Get(server.FlagHaltHeight))),
		baseapp.SetInterBlockCache(store.NewCommitKVStoreCacheManager()),
		baseapp.SetIAVLDisableFastNode(true),
		withSnapshots(home, options),
	)
	n.SetBeginBlocker(n.beginBlocker)
	if err := n.LoadLatestVersion(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	return n
}

// beginBlocker schedules the next plan of the genesis file when none is pending, and lets the modules
// work, x/upgrade first. Every node has the same genesis, so that this is deterministic. The first plan
// is there from the first block on: who asks once, as soon as the node is Ready, is told of it.
func (n *node) beginBlocker(ctx sdk.Context, request abci.RequestBeginBlock) abci.ResponseBeginBlock {
	pending, found := n.UpgradeKeeper.GetUpgradePlan(ctx)
	if !found {
		pending, found = n.schedule(ctx)
	} else if height := n.movedTo(); height > ctx.BlockHeight() && height != pending.Height {
		pending.Height = height
		if err := n.UpgradeKeeper.ScheduleUpgrade(ctx, pending); err != nil {
			panic(err)
		}
	}
	for _, name := range n.handlers {
		// A minor release may run before its height, so that its handler appears only there.
		early := found && pending.Name == name && ctx.BlockHeight() < pending.Height && isMinor(pending.Info)
		if !early && !n.UpgradeKeeper.HasHandler(name) {
			n.UpgradeKeeper.SetUpgradeHandler(name,
				func(_ sdk.Context, _ upgradetypes.Plan, versions module.VersionMap) (module.VersionMap, error) {
					return versions, nil
				})
		}
	}
	// x/upgrade means to panic so, but dereferences nil there in 0.45.16, which seid does not.
	if last, _ := n.UpgradeKeeper.GetLastCompletedUpgrade(ctx); last != "" && !n.UpgradeKeeper.HasHandler(last) &&
		(!found || ctx.BlockHeight() < pending.Height) {
		panic(fmt.Sprintf("Wrong app version %d, upgrade handler is missing for %s upgrade plan",
			n.Info(abci.RequestInfo{}).AppVersion, last))
	}
	return n.SimApp.BeginBlocker(ctx, request)
}

// movedTo returns the height in the file upgrade-height of the home, as if a vote had moved the pending
// plan there; 0 if there is none. It is for a chain of one node: others would have to have it at once.
func (n *node) movedTo() int64 {
	content, err := os.ReadFile(filepath.Join(n.home, "upgrade-height"))
	if err != nil {
		return 0
	}
	height, _ := strconv.ParseInt(strings.TrimSpace(string(content)), 10, 64)
	return height
}

func (n *node) schedule(ctx sdk.Context) (upgradetypes.Plan, bool) {
	for _, p := range n.plans {
		if p.Height <= ctx.BlockHeight() || n.UpgradeKeeper.GetDoneHeight(ctx, p.Name) != 0 {
			continue
		}
		next := upgradetypes.Plan{Name: p.Name, Height: p.Height, Info: p.Info}
		if err := n.UpgradeKeeper.ScheduleUpgrade(ctx, next); err != nil {
			panic(err)
		}
		return next, true
	}
	return upgradetypes.Plan{}, false
}

func isMinor(info string) bool {
	var said struct {
		Type string `json:"upgradeType"`
	}
	return json.Unmarshal([]byte(info), &said) == nil && strings.EqualFold(said.Type, "minor")
}

// BeginBlock ends the process a second after a panic, as Sei's consensus does. CometBFT 0.34 alone
// recovers, logs CONSENSUS FAILURE, and leaves the process and its RPC up for ever. A panic in the
// replay at a start ends the process by itself, at once.
func (n *node) BeginBlock(request abci.RequestBeginBlock) abci.ResponseBeginBlock {
	defer func() {
		if reason := recover(); reason != nil {
			time.AfterFunc(time.Second, func() { panic(reason) })
			panic(reason)
		}
	}()
	return n.SimApp.BeginBlock(request)
}

func plansOf(genesis string) []plan {
	content, err := os.ReadFile(genesis)
	if err != nil {
		panic(err)
	}
	var document struct {
		AppState struct {
			Plans []plan `json:"upgrade_plans"`
		} `json:"app_state"`
	}
	if err := json.Unmarshal(content, &document); err != nil {
		panic(fmt.Errorf("%s: %w", genesis, err))
	}
	return document.AppState.Plans
}
