package io.sei.operator.testkit.samples;

import static io.sei.operator.api.v1alpha1.StallReason.APP_HASH_MISMATCH;
import static io.sei.operator.api.v1alpha1.StallReason.CONFIG_INVALID;
import static io.sei.operator.api.v1alpha1.StallReason.CRASH_LOOP;
import static io.sei.operator.api.v1alpha1.StallReason.DATA_CORRUPT;
import static io.sei.operator.api.v1alpha1.StallReason.DATA_LOCKED;
import static io.sei.operator.api.v1alpha1.StallReason.DISK_FAILING;
import static io.sei.operator.api.v1alpha1.StallReason.DISK_FULL;
import static io.sei.operator.api.v1alpha1.StallReason.FILES_MISSING;
import static io.sei.operator.api.v1alpha1.StallReason.GENESIS_MISMATCH;
import static io.sei.operator.api.v1alpha1.StallReason.MACHINE_LIMIT_REACHED;
import static io.sei.operator.api.v1alpha1.StallReason.NAME_NOT_RESOLVED;
import static io.sei.operator.api.v1alpha1.StallReason.OUT_OF_MEMORY;
import static io.sei.operator.api.v1alpha1.StallReason.PEERS_NONE;
import static io.sei.operator.api.v1alpha1.StallReason.PORT_TAKEN;
import static io.sei.operator.api.v1alpha1.StallReason.REMOTE_SIGNER_MISSING;
import static io.sei.operator.api.v1alpha1.StallReason.RUNTIME_CRASH;
import static io.sei.operator.api.v1alpha1.StallReason.SIGNING_ELSEWHERE;
import static io.sei.operator.api.v1alpha1.StallReason.SIGNING_KEY_CHANGED;
import static io.sei.operator.api.v1alpha1.StallReason.SIGNING_STATE_UNREADABLE;
import static io.sei.operator.api.v1alpha1.StallReason.STATE_SYNC_FAILED;

import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.diagnosis.LastWords.Kind;
import io.sei.operator.testkit.PodFault;
import java.util.stream.Stream;

/**
 * Deaths of seid: observed of v6.4.4, v6.5.2 and v6.6.2 on Kubernetes 1.37.2 with a real kubelet,
 * in November 2026, or by its users, or printed by the source of v6.6.2. Which of these a line is,
 * is its {@code CauseOfDeath.Proof}. Panics and errors are words of stderr, the rest is slog's text
 * on stdout. Where a line names what does not matter here it is shortened, and white space is
 * folded.
 */
public final class SeidDeaths {

  /** Lines that seid logs at its start, before each death. */
  private static final String START =
      "time=2026-11-25T09:00:00.000Z level=INFO msg=\"starting node\" logger=seid\n"
          + "time=2026-11-25T09:00:01.000Z level=ERROR msg=\"peer failed\" logger=p2p\n";

  private static final String TRACE =
      "\n\ngoroutine 1 [running]:\nmain.main()\n\tgithub.com/sei/main.go:12 +0x1d\n";

  /** cobra prints its usage, 6 to 8 KB of such lines, after an error. */
  private static final String USAGE =
      "Usage:\n  seid start [flags]\n\nFlags:\n"
          + "      --halt-height uint   Block height at which to gracefully halt the chain\n"
              .repeat(100)
          + "\nGlobal Flags:\n      --trace   print out full stack trace on errors\n\n";

  private static final String HASH =
      "89A9CA2626700848142CCCC15A7E039857F1FCB1B06419CC6E87575DBDAABDEB";

  /** One of them; {@code exit} and {@code after} as the kubelet and the log had it. */
  public record Death(
      String name, StallReason reason, int exit, Kind kind, String line, String after) {

    /** The fault with which the simulated kubelet has seid die like this. */
    public PodFault fault() {
      return new PodFault.Dies(exit, log());
    }

    /** The whole log of the run. */
    public String log() {
      return START
          + (kind == Kind.CONFIGURED_HALT ? "time=2026-11-25T09:00:02Z " : "")
          + line
          + "\n"
          + after;
    }

    @Override
    public String toString() {
      return name;
    }
  }

  private SeidDeaths() {}

  /** All of them. */
  public static Stream<Death> all() {
    return Stream.of(upgrades(), causes(), unnamed(), halts()).flatMap(deaths -> deaths);
  }

  /** Returns the deaths that are neither a halt nor about an upgrade. */
  public static Stream<Death> causes() {
    return Stream.of(
            data(),
            signing(),
            setup(),
            settings(),
            fullDisks(),
            surroundings(),
            ofTheMoment(),
            stateSync(),
            ofTheRuntime())
        .flatMap(deaths -> deaths);
  }

  /** Returns the deaths that are in no table. */
  public static Stream<Death> unnamed() {
    return Stream.of(
        exit(
            "data that cannot be loaded, app/app.go:1058, storev2/rootmulti/store.go:608",
            CRASH_LOOP,
            "failed to load latest version: version overflows uint32: 4294967296"));
  }

  /** Halts, and images that are not those of the data. */
  public static Stream<Death> ofUpgrades() {
    return Stream.concat(upgrades(), halts());
  }

  private static Stream<Death> upgrades() {
    return Stream.of(
        panic(
            "halt at a plan, and again after each restart",
            StallReason.HALTED_AT_UPGRADE,
            "UPGRADE \"v6.5\" NEEDED at height: 833: {\"note\":\"x\"} [recovered, repanicked]"),
        panic(
            "too early",
            StallReason.IMAGE_TOO_EARLY,
            "BINARY UPDATED BEFORE TRIGGER! UPGRADE \"v6.5\" - in binary but not executed on chain"
                + " [recovered, repanicked]"),
        panic(
            "old binary on newer data",
            CRASH_LOOP,
            "Wrong app version 0, upgrade handler is missing for v6.5 upgrade plan"
                + " [recovered, repanicked]"));
  }

  private static Stream<Death> data() {
    return Stream.of(
        error(
            "app hash wrong",
            APP_HASH_MISMATCH,
            "error starting node: error on replay: block.AppHash does not match AppHash after"
                + " replay. Got 'E3B0', expected '9F86'."),
        panic(
            "app hash wrong in a block, sei-chain#2202",
            APP_HASH_MISMATCH,
            "+2/3 committed an invalid block: wrong Block.Header.AppHash. Expected "
                + HASH
                + ", got B0AD [recovered, repanicked]"),
        panic(
            "app hash wrong in block sync, internal/blocksync/reactor.go:579",
            APP_HASH_MISMATCH,
            "failed to process committed block (833:"
                + HASH
                + "): wrong Block.Header.AppHash: expected E3B0, got 9F86: app hash mismatch"),
        panic(
            "state store damaged",
            DATA_CORRUPT,
            "failed to create cosmos MVCC DB: failed to open PebbleDB: pebble: malformed manifest"
                + " file \"MANIFEST-000001\" for DB \"/sei/data/pebbledb\""),
        error(
            "block store damaged",
            DATA_CORRUPT,
            "error creating node: error=\"initDBs(): unable to initialize blockstore: failed to"
                + " initialize database: leveldb/storage: corrupted or incomplete CURRENT file\""
                + " closerError=\"\""),
        error(
            "state of the consensus truncated",
            DATA_CORRUPT,
            "error creating node: error=\"initDBs(): unable to initialize statestore: failed to"
                + " initialize database: leveldb/storage: corrupted or incomplete CURRENT file\""
                + " closerError=\"\""),
        panic(
            "manifest lost, tendermint#4220",
            DATA_CORRUPT,
            "Error initializing DB: leveldb: manifest corrupted (field 'comparer'): missing"
                + " [file=MANIFEST-000057]"),
        panic(
            "table damaged, celestia-app#4412",
            DATA_CORRUPT,
            "leveldb/table: corruption on index-block (pos=141248): checksum mismatch,"
                + " want=0xc44fa2a2 got=0x755197a6 [file=72516707.ldb]"),
        panic(
            "record damaged, internal/state/store.go:145",
            DATA_CORRUPT,
            "data has been corrupted or its spec has changed: proto: illegal wireType 7"),
        error(
            "databases disagree, internal/state/errors.go:76",
            DATA_CORRUPT,
            "error starting node: error on replay: app block height (834) is higher than core"
                + " (833)"),
        panic(
            "table with a wrong checksum, bsc#3349",
            DATA_CORRUPT,
            "failed to create cosmos MVCC DB: pebble/table: invalid table 000123 (checksum"
                + " mismatch at 0/4096)"),
        panic(
            "memiavl snapshot cut off",
            DATA_CORRUPT,
            "fail to load memiavl: corrupted snapshot, metadata file size is 3"),
        panic(
            "consensus log damaged, internal/consensus/wal.go",
            DATA_CORRUPT,
            "DataCorruptionError[failed to read data: checksums do not match]"),
        error(
            "genesis of zeros",
            DATA_CORRUPT,
            "error creating node: config/genesis.json: invalid character '\\x00' looking for"
                + " beginning of value"));
  }

  /** Covers {@code double-sign-check-height} where the signatures are its own, too. */
  public static Death foundSignature() {
    return panic(
        "another signer, internal/consensus/state.go:42 and libs/service/service.go:182",
        SIGNING_ELSEWHERE,
        "critical task failed: name=state.Run, service=Consensus: found signature from the"
            + " same key");
  }

  private static Stream<Death> signing() {
    return Stream.of(
        foundSignature(),
        new Death(
            "another key in the Secret, the start script of the pod",
            SIGNING_KEY_CHANGED,
            78,
            Kind.ERROR,
            "the mounted signing key is not the one this pod was started for: Secret"
                + " validator-signing-key was changed",
            ""),
        new Death(
            "the volume of another chain, the start script of the pod",
            GENESIS_MISMATCH,
            78,
            Kind.ERROR,
            "the genesis on the volume is not of chain atlantic-2, which this key signs for, but of"
                + " 'lab-2'",
            ""),
        new Death(
            "no address for the remote signer, the start script of the pod",
            CONFIG_INVALID,
            78,
            Kind.ERROR,
            "config.toml has no laddr in [priv-validator], so seid would sign without its remote"
                + " signer",
            ""),
        error(
            "no remote signer, cometbft v0.34.27 node/node.go",
            REMOTE_SIGNER_MISSING,
            "error with private validator socket client: can't get pubkey: send: endpoint"
                + " connection timed out"),
        error(
            "signing state missing",
            SIGNING_STATE_UNREADABLE,
            "error creating node: open /sei/data/priv_validator_state.json: no such file or"
                + " directory"),
        error(
            "signing state cut, privval/file.go:269",
            SIGNING_STATE_UNREADABLE,
            "error creating node: error reading PrivValidator state from"
                + " /sei/data/priv_validator_state.json: unexpected end of JSON input"));
  }

  /** Settings that seid does not accept, reported by the chain's operators. */
  private static Stream<Death> settings() {
    return Stream.of(
        panic(
            "snapshots without a state store",
            CONFIG_INVALID,
            "Config validation failed, SeiDB SS store needs to be enabled when snapshot interval"
                + " 50 > 0"),
        error("a write mode that is gone", CONFIG_INVALID, "invalid SC write mode: cosmos_only"),
        panic("an EVM setting", CONFIG_INVALID, "error reading EVM config due to strconv.ParseInt"),
        error(
            "no gas price",
            CONFIG_INVALID,
            "set min gas price in app.toml or flag or env variable"),
        error(
            "a section of config.toml",
            CONFIG_INVALID,
            "error in config file: error in [p2p] section: max-connections can't be negative"),
        error(
            "a peer without an id",
            CONFIG_INVALID,
            "error creating node: invalid peer address \"zz@h.example:26656\""));
  }

  /** Machine and network, reported by users of Go programs. */
  private static Stream<Death> surroundings() {
    return Stream.of(
        panic(
            "the disk answers with an error",
            DISK_FAILING,
            "error when getting working hash: read /sei/data/pebbledb/000123.sst: input/output"
                + " error"),
        error(
            "the file system went read-only",
            DISK_FAILING,
            "error creating node: open /sei/data/state.db/LOCK: read-only file system"),
        error(
            "no file handle left",
            MACHINE_LIMIT_REACHED,
            "error creating node: open /sei/data/blockstore.db/000042.ldb: too many open files"),
        fatal("no thread left", MACHINE_LIMIT_REACHED, "fatal error: newosproc"),
        fatal(
            "no thread left for a C library",
            MACHINE_LIMIT_REACHED,
            "runtime/cgo: pthread_create failed: Resource temporarily unavailable"),
        error(
            "the node's own name does not resolve yet",
            NAME_NOT_RESOLVED,
            "error creating node: error=\"lookup n1.example on 10.0.0.10:53: no such host\""));
  }

  private static Stream<Death> setup() {
    return Stream.of(
        panic(
            "chain id in client.toml wrong",
            GENESIS_MISMATCH,
            "genesis file chain-id=lab-2 does not equal config.toml chain-id="),
        panic(
            "chain id on the command line, sei-cosmos/server/start.go:156",
            GENESIS_MISMATCH,
            "chain-id mismatch: lab-2 vs lab-1. The chain-id passed in is different from the value"
                + " in ~/.sei/config/client.toml"),
        error(
            "config.toml broken",
            CONFIG_INVALID,
            "While parsing config: toml: array is incomplete"),
        error("flag unknown, spf13/pflag", CONFIG_INVALID, "unknown flag: --freeze-height"),
        panic(
            "no chain id, sei-cosmos/baseapp/baseapp.go:302",
            CONFIG_INVALID,
            "must pass --chain-id when calling 'seid start' or set in ~/.sei/config/client.toml"),
        error(
            "client.toml unreadable",
            FILES_MISSING,
            "couldn't get client config: Config File \"client\" Not Found in \"[/sei/config]\""),
        error(
            "no genesis.json, sei-tendermint/types/genesis.go:188",
            FILES_MISSING,
            "error creating node: genesisDocProvider(): couldn't read GenesisDoc file: open"
                + " /sei/config/genesis.json: no such file or directory"),
        new Death(
            "no genesis.json, the start script of the pod",
            FILES_MISSING,
            78,
            Kind.ERROR,
            "Error: open /sei/config/genesis.json: no such file or directory",
            ""),
        exit(
            "no contract, app/app.go:1063",
            FILES_MISSING,
            "failed initialize pinned codes pinning contract failed: Cache error: Error opening"
                + " Wasm file for reading"));
  }

  /** The first of {@link #fullDisks()}. */
  public static Death fullDisk() {
    return fullDisks().findFirst().orElseThrow();
  }

  private static Stream<Death> fullDisks() {
    return Stream.of(
        panic(
            "disk full in a block",
            DISK_FULL,
            "error when getting working hash: failed to write data: failed to write batch: write"
                + " /sei/data/changelog/000001: no space left on device [recovered, repanicked]"),
        panic(
            "disk full at an upgrade, sei-cosmos/x/upgrade/abci.go:120",
            DISK_FULL,
            "unable to write upgrade info to filesystem: write /sei/data/upgrade-info.json: no"
                + " space left on device [recovered, repanicked]"),
        panic(
            "quota of the file system, Go's syscall",
            DISK_FULL,
            "error when getting working hash: failed to write data: failed to write batch: write"
                + " /sei/data/changelog/000001: disk quota exceeded [recovered, repanicked]"));
  }

  private static Stream<Death> ofTheMoment() {
    return Stream.of(
        error(
            "data locked by another process",
            DATA_LOCKED,
            "failed to initialize database: resource temporarily unavailable"),
        panic(
            "memiavl locked by another process",
            DATA_LOCKED,
            "fail to lock db: file lock unavailable"),
        new Death(
            "P2P at the port of the RPC, 35 lines before the end",
            PORT_TAKEN,
            1,
            Kind.ERROR,
            "Error: error starting node: failed to listen on 0.0.0.0:26657: listen tcp"
                + " 0.0.0.0:26657: bind: address already in use",
            "time=2026-11-28T09:00:03Z level=ERROR msg=\"service is not started\" logger=p2p\n"
                .repeat(35)),
        error(
            "port taken",
            PORT_TAKEN,
            "error starting node: failed to listen on 0.0.0.0:26657: listen tcp 0.0.0.0:26657:"
                + " bind: address already in use"));
  }

  private static Stream<Death> stateSync() {
    String failed = "error starting node: problem starting service '*statesync.Reactor': ";
    return Stream.of(
        error(
            "state sync, internal/statesync/syncer.go:220",
            STATE_SYNC_FAILED,
            failed + "snapshot restoration failed: verification with app failed"),
        error(
            "peers gone, internal/statesync/stateprovider.go:238",
            PEERS_NONE,
            failed
                + "failed to initialize P2P state provider: at least 2 peers are required, got 1"),
        error(
            "witnesses gone, internal/statesync/syncer.go:260",
            PEERS_NONE,
            failed
                + "snapshot restoration failed: failed to get app hash at height 832. No witnesses"
                + " remaining"));
  }

  private static Stream<Death> ofTheRuntime() {
    return Stream.of(
        panic(
            "no genesis.json, or committer.db damaged",
            RUNTIME_CRASH,
            "runtime error: invalid memory address or nil pointer dereference"),
        fatal("Go's runtime, panic.go", RUNTIME_CRASH, "fatal error: concurrent map writes"),
        fatal("abort of a C library, Go's runtime", RUNTIME_CRASH, "SIGABRT: abort"),
        fatal("an instruction the machine lacks", RUNTIME_CRASH, "SIGILL: illegal instruction"),
        fatal("a C library's pointer", RUNTIME_CRASH, "SIGSEGV: segmentation violation"),
        fatal("a mapped file cut off", RUNTIME_CRASH, "SIGBUS: bus error"),
        fatal("a C library's division", RUNTIME_CRASH, "SIGFPE: floating-point exception"),
        fatal("a trap", RUNTIME_CRASH, "SIGTRAP: trace trap"),
        fatal("a system call that is filtered", RUNTIME_CRASH, "SIGSYS: bad system call"),
        fatal("Go's runtime, mem_linux.go", OUT_OF_MEMORY, "fatal error: runtime: out of memory"));
  }

  /** Eight of nine runs ended by the signal, one of them well. */
  private static Stream<Death> halts() {
    String line =
        "level=INFO msg=\"halting node per configuration\" logger=cosmos/baseapp height=160";
    StallReason reason = StallReason.HALTED_BY_CONFIGURATION;
    return Stream.of(
        new Death("halt-height", reason, 143, Kind.CONFIGURED_HALT, line, ""),
        new Death("halt-height, stopped cleanly", reason, 0, Kind.CONFIGURED_HALT, line, START));
  }

  private static Death panic(String name, StallReason reason, String words) {
    return new Death(name, reason, 2, Kind.PANIC, "panic: " + words, TRACE);
  }

  private static Death fatal(String name, StallReason reason, String words) {
    return new Death(name, reason, 2, Kind.FATAL, words, TRACE);
  }

  private static Death exit(String name, StallReason reason, String words) {
    return new Death(name, reason, 1, Kind.ERROR, words, "");
  }

  private static Death error(String name, StallReason reason, String words) {
    return new Death(name, reason, 1, Kind.ERROR, "Error: " + words, USAGE);
  }
}
