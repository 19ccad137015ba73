package io.sei.operator.diagnosis;

import static io.sei.operator.diagnosis.CauseOfDeath.Proof.IN_SOURCE;
import static io.sei.operator.diagnosis.CauseOfDeath.Proof.REPORTED;
import static io.sei.operator.diagnosis.CauseOfDeath.Proof.SEEN;
import static io.sei.operator.diagnosis.CauseOfDeath.Rollback.HARMFUL;
import static io.sei.operator.diagnosis.CauseOfDeath.Rollback.HARMLESS;
import static io.sei.operator.diagnosis.CauseOfDeath.Stalls.AFTER_CRASHES;
import static io.sei.operator.diagnosis.CauseOfDeath.Stalls.AT_DEADLINE;
import static io.sei.operator.diagnosis.CauseOfDeath.Stalls.AT_ONCE;

import io.fabric8.kubernetes.api.model.ContainerStateTerminated;
import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.render.Names;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * PURE: the table of what seid dies of: reason, when the node counts as stalled, whether a rollback
 * of the image may help, advice, and the lines that tell, each with its source. The first line that
 * is found wins. What is not in the table is a {@code CrashLoop} with its line. The runbook of each
 * is {@code docs/runbooks/REASON.md}.
 *
 * <p>docs/conditions.md lists a line of each with its {@link Proof}.
 */
public enum CauseOfDeath {
  HALTED_AT_UPGRADE(AT_DEADLINE, HARMFUL, null),
  IMAGE_TOO_EARLY(AT_ONCE, HARMFUL, null),
  HALTED_BY_CONFIGURATION(AT_DEADLINE, HARMFUL, null),

  DISK_FULL(
      AT_DEADLINE,
      HARMLESS,
      "grow the volume: raise spec.dataVolume.storage.resources.requests.storage",
      toldBy("no space left on device", SEEN, "disk full in a block"),
      toldBy("disk quota exceeded", IN_SOURCE, "Go's syscall: EDQUOT")),
  DISK_FAILING(
      AT_ONCE,
      HARMFUL,
      "check the disk and the kernel log of the Kubernetes node; replace the volume, or move the"
          + " node to another machine, and "
          + CauseOfDeath.START_OVER
          + "; do not roll the image back: no image mends a disk",
      toldBy("input/output error", IN_SOURCE, "Go's syscall: EIO"),
      toldBy("read-only file system", IN_SOURCE, "Go's syscall: EROFS")),
  SIGNING_STATE_UNREADABLE(
      AT_ONCE,
      HARMFUL,
      "put data/priv_validator_state.json back as it was when the validator last signed, whatever"
          + " the image; an empty one lets it sign twice",
      toldBy("open \\S*/priv_validator_state\\.json: ", SEEN, "signing state missing"),
      toldBy(
          "error reading PrivValidator state from ",
          IN_SOURCE,
          "sei-tendermint/privval/file.go:269")),
  /** {@link #SIGNING_ELSEWHERE}, where the node has signed with the key moments ago. */
  WAITING_OUT_OWN_SIGNATURES(
      AT_DEADLINE,
      HARMLESS,
      "seid starts by itself once the chain has gone past the signatures that this node has made;"
          + " if you have started another signer with this key, stop it permanently"),
  SIGNING_KEY_CHANGED(
      AT_ONCE,
      HARMFUL,
      "put the key back that the Secret held before; seid then starts by itself; do not roll the"
          + " image back: the new pod would sign with the key that the Secret holds. Only if that"
          + " is meant, and nothing else signs with it: restart the node with a new value of its"
          + " annotation sei.io/restart-requested-at",
      toldBy("the mounted signing key is not the one ", SEEN, "the start script of the pod")),
  REMOTE_SIGNER_MISSING(
      AT_DEADLINE,
      HARMLESS,
      "start the remote signer and have it dial the node's Service whose name ends in -signer; seid"
          + " waits five seconds for it at each start",
      toldBy(
          "error with private validator socket client: ",
          IN_SOURCE,
          "cometbft v0.34.27, node/node.go; as sei-tendermint, node/setup.go")),
  SIGNING_ELSEWHERE(
      AT_ONCE,
      HARMFUL,
      "find what else signs with this key and stop it permanently before this node starts, whatever"
          + " the image: the chain removes a validator that signs twice",
      toldBy(
          "found signature from the same key",
          IN_SOURCE,
          "sei-tendermint/internal/consensus/state.go:42, libs/service/service.go:182")),
  APP_HASH_MISMATCH(
      AT_ONCE,
      HARMFUL,
      "check that spec.image is the version that the chain runs at this height, then "
          + CauseOfDeath.START_OVER
          + "; do not roll the image back: an older one goes on from a state that the chain does not"
          + " have",
      toldBy(
          "(?:block|state)\\.AppHash does not match AppHash after replay",
          SEEN,
          "app hash wrong; sei-tendermint/internal/consensus/replay.go:480"),
      toldBy(
          "wrong Block\\.Header\\.(?:AppHash|LastResultsHash)",
          REPORTED,
          "sei-protocol/sei-chain#2202; sei-tendermint/internal/state/validation.go:55")),
  DATA_CORRUPT(
      AT_ONCE,
      HARMFUL,
      "check the disk, then "
          + CauseOfDeath.START_OVER
          + "; do not roll the image back: no image mends the files, and an older one may write to"
          + " what is left of them",
      toldBy("pebble: malformed manifest file", SEEN, "state store damaged"),
      toldBy("corrupted or incomplete CURRENT file", SEEN, "block store damaged"),
      toldBy("leveldb: manifest corrupted", REPORTED, "tendermint/tendermint#4220"),
      toldBy(
          "pebble/table: invalid table .{0,400}checksum mismatch", REPORTED, "bnb-chain/bsc#3349"),
      toldBy("fail to load memiavl: ", IN_SOURCE, "sei-db/sc/memiavl/db.go"),
      toldBy("DataCorruptionError", IN_SOURCE, "sei-tendermint/internal/consensus/wal.go"),
      toldBy(
          "genesis\\.json: invalid character '\\\\x00'",
          REPORTED,
          "a file of zeros after a power loss"),
      toldBy("leveldb/table: corruption on ", REPORTED, "celestiaorg/celestia-app#4412"),
      toldBy(
          "data has been corrupted or its spec has changed",
          IN_SOURCE,
          "sei-tendermint/internal/state/store.go:145"),
      toldBy(
          "error on replay: (?:StateBlockHeight|StoreBlockHeight|app block height) \\(",
          IN_SOURCE,
          "sei-tendermint/internal/consensus/replay.go, internal/state/errors.go:76")),
  GENESIS_MISMATCH(
      AT_ONCE,
      HARMFUL,
      "compare spec.chainId with chain_id in config/genesis.json and chain-id in"
          + " config/client.toml; do not roll the image back: an older one that does not compare"
          + " them writes blocks of one chain to the data of another",
      toldBy(
          "genesis file chain-id=\\S{0,100} does not equal config\\.toml chain-id=",
          SEEN,
          "chain id in client.toml wrong or missing"),
      toldBy(
          "chain-id mismatch: .{0,400}client\\.toml", IN_SOURCE, "sei-cosmos/server/start.go:156"),
      toldBy("the genesis on the volume is not of chain ", SEEN, "the start script of the pod")),
  CONFIG_INVALID(
      AFTER_CRASHES,
      HARMLESS,
      "correct spec.overrides or spec.configValues, and seid starts with them by itself; a file"
          + " that was edited by hand is corrected by hand, while kubectl sei hold keeps the node"
          + " down",
      toldBy("While parsing config: ", SEEN, "config.toml broken"),
      toldBy("Config validation failed", SEEN, "snapshot_interval without the state store"),
      toldBy("invalid SC write mode", REPORTED, "Sei's parity runbook, finding 0"),
      toldBy("error reading EVM config", REPORTED, "Sei's parity runbook, finding 0"),
      toldBy("set min gas price in app\\.toml", REPORTED, "Sei's parity runbook, finding 0"),
      toldBy("error in config file: ", REPORTED, "Sei's parity runbook, finding 0"),
      toldBy("invalid peer address", IN_SOURCE, "sei-tendermint/node/setup.go"),
      toldBy("Error: unknown (?:shorthand )?flag: ", IN_SOURCE, "spf13/pflag"),
      toldBy("must pass --chain-id when calling ", IN_SOURCE, "sei-cosmos/baseapp/baseapp.go:302"),
      toldBy(
          "config\\.toml has no laddr in \\[priv-validator\\]",
          SEEN,
          "the start script of the pod")),
  DATA_LOCKED(
      AT_DEADLINE,
      HARMLESS,
      "find and end the other process that uses the volume; seid then starts by itself",
      toldBy("resource temporarily unavailable", SEEN, "data locked by another process"),
      toldBy("fail to lock db: file lock unavailable", IN_SOURCE, "sei-db/sc/memiavl/db.go")),
  PORT_TAKEN(
      AT_DEADLINE,
      HARMLESS,
      "find what listens on that port in the pod, such as a container that was injected, or a port"
          + " that spec.overrides gives twice; seid then starts by itself",
      toldBy("address already in use", SEEN, "port taken")),
  NAME_NOT_RESOLVED(
      AT_DEADLINE,
      HARMLESS,
      "check that the host name in the line has a DNS record, and that the cluster's DNS answers; a"
          + " new Service or load balancer needs minutes, and seid starts by itself once it"
          + " resolves",
      toldBy(
          "lookup \\S+(?: on \\S+)?: (?:no such host|server misbehaving|i/o timeout)",
          REPORTED,
          "Sei's parity runbook, finding 1; Go's net: DNSError")),
  MACHINE_LIMIT_REACHED(
      AT_DEADLINE,
      HARMLESS,
      "check the process ids, threads and open files of the Kubernetes node, and the kubelet's"
          + " podPidsLimit; seid starts by itself once there are some to be had",
      toldBy("too many open files", IN_SOURCE, "Go's syscall: EMFILE, ENFILE"),
      toldBy("newosproc|pthread_create failed", IN_SOURCE, "Go's runtime: os_linux.go, cgo")),
  PEERS_NONE(
      AT_DEADLINE,
      HARMLESS,
      "check spec.peers and, if the snapshot names them, rpcServers, and that the P2P and RPC ports"
          + " of these nodes can be reached; seid tries again at each start, and reads peers that"
          + " were found since then: kubectl sei restart",
      toldBy(
          "at least 2 peers are required",
          IN_SOURCE,
          "sei-tendermint/internal/statesync/stateprovider.go:238"),
      toldBy(
          "No witnesses remaining", IN_SOURCE, "sei-tendermint/internal/statesync/syncer.go:260")),
  STATE_SYNC_FAILED(
      AT_DEADLINE,
      HARMLESS,
      "check that the nodes of spec.peers serve snapshots and the trusted height, and that this is"
          + " not too old: seid v6.7.3 and newer trust a block for 112h on the public chains,"
          + " whatever trustPeriod says; a restart requested with the annotation"
          + " sei.io/restart-requested-at has the sidecar ask for another block",
      toldBy(
          "problem starting service '\\*statesync\\.Reactor': ",
          IN_SOURCE,
          "sei-tendermint/node/node.go:676, internal/statesync/reactor.go:350")),
  FILES_MISSING(
      AFTER_CRASHES,
      HARMLESS,
      "put the file that the line names back on the volume; raising spec.dataResetGeneration"
          + " creates it again and wipes the chain data, but keeps config, so that"
          + " config/client.toml stays missing",
      toldBy("Config File \"client\" Not Found in ", SEEN, "client.toml unreadable"),
      toldBy("Error opening Wasm file for reading", IN_SOURCE, "app/app.go:1063; CosmWasm/wasmvm"),
      toldBy("couldn't read GenesisDoc file: ", IN_SOURCE, "sei-tendermint/types/genesis.go:188"),
      toldBy(
          ": no such file or directory",
          SEEN,
          "signing state missing; the start script of the pod")),
  OUT_OF_MEMORY(
      AFTER_CRASHES,
      HARMLESS,
      "raise its memory limit: spec.resources",
      toldBy(
          "^fatal error: runtime: (?:out of memory|cannot allocate memory)",
          IN_SOURCE,
          "Go's runtime: mem_linux.go, malloc.go; else the kubelet's OOMKilled")),
  RUNTIME_CRASH(
      AFTER_CRASHES,
      HARMLESS,
      "set spec.image to the version that ran before; if it dies as well, a file is missing or"
          + " damaged: look at config/genesis.json first",
      toldBy("^panic: runtime error: ", SEEN, "committer.db damaged"),
      toldBy(
          "^(?:fatal error: |unexpected fault address|SIG(?:ABRT|ILL|SEGV|BUS|FPE|TRAP|SYS): )",
          IN_SOURCE,
          "Go's runtime: panic.go, sigtab_linux_generic.go")),

  CRASH_LOOP(AFTER_CRASHES, HARMLESS, null);

  /** Time at which a node that dies of this cause counts as stalled. */
  enum Stalls {
    /** Waiting cannot help. */
    AT_ONCE,
    /** At the third crash of a pod that was never well, else at the deadline. */
    AFTER_CRASHES,
    /** The cause may disappear without help. */
    AT_DEADLINE
  }

  /**
   * Effect of a rollback on a node that ended so; the causes that it may repair are in {@link
   * StallReason}.
   */
  enum Rollback {
    /** The data and the signing state stay as they are. */
    HARMLESS,
    /** The earlier image may damage the data, or sign twice. */
    HARMFUL
  }

  /**
   * Words that tell.
   *
   * @param words found anywhere in the line that a run ended with
   * @param source the death they were seen at, who reported them, or the file that prints them
   */
  record Line(Pattern words, Proof proof, String source) {}

  /** Evidence that seid prints a line of the table. */
  public enum Proof {
    /** v6.4.4, v6.5.2 or v6.6.2, or the start script of the pod, printed it in a test. */
    SEEN,
    /** Users of this chain, or of its libraries, have published it. */
    REPORTED,
    /** A file of sei-chain v6.6.2, or Go's runtime, prints it; never seen. */
    IN_SOURCE
  }

  private static final Set<CauseOfDeath> HALTS =
      Set.of(HALTED_AT_UPGRADE, IMAGE_TOO_EARLY, HALTED_BY_CONFIGURATION);

  private static final Set<CauseOfDeath> OF_DATA = Set.of(APP_HASH_MISMATCH, DATA_CORRUPT);

  private static final String START_OVER =
      "start over from good data: raise spec.dataResetGeneration, or restore a VolumeSnapshot; a"
          + " validator with a signing key first needs spec.validator.acceptSigningStateLoss, and a"
          + " node that replays from genesis the image of that time";

  private static final int MAX_QUOTE = 300;

  private static final String UNWRITTEN_HALT =
      "panic: unable to write upgrade info to filesystem: ";

  /** The reason of the same name. */
  private final StallReason reason = StallReason.valueOf(name());

  private final Stalls stalls;
  private final Rollback rollback;
  private final String advice;
  private final List<Line> lines;

  CauseOfDeath(Stalls stalls, Rollback rollback, String advice, Line... lines) {
    this.stalls = stalls;
    this.rollback = rollback;
    this.advice = advice;
    this.lines = List.of(lines);
  }

  /** Returns the cause of a run's end; {@link #CRASH_LOOP} if the table has none. */
  static CauseOfDeath of(ContainerStateTerminated end) {
    if ("OOMKilled".equals(end.getReason())) {
      return OUT_OF_MEMORY;
    }
    // An error that was logged need not have been fatal.
    return LastWords.in(end.getMessage())
        .filter(
            candidate -> candidate.isCertain() || candidate.kind() == LastWords.Kind.BEHEADED_PANIC)
        .flatMap(
            lastWords ->
                Stream.of(values()).filter(cause -> cause.isToldBy(lastWords.line())).findFirst())
        .orElse(CRASH_LOOP);
  }

  /**
   * Returns whether seid came to an upgrade, and could not write down to which: it does that before
   * it says that it needs the upgrade (sei-cosmos/x/upgrade/abci.go:120).
   */
  static boolean isUnwrittenHalt(ContainerStateTerminated end) {
    return LastWords.in(end.getMessage())
        .filter(candidate -> candidate.line().startsWith(UNWRITTEN_HALT))
        .isPresent();
  }

  /** Returns whether what the words of a run's end say of its cause is proven by them. */
  static boolean isCertain(ContainerStateTerminated end) {
    return LastWords.in(end.getMessage()).filter(LastWords::isCertain).isPresent();
  }

  /** Returns whether seid of a node that stalls for a reason crashes; a halt is no crash. */
  public static boolean isCrash(StallReason reason) {
    return named(reason).filter(cause -> !HALTS.contains(cause)).isPresent();
  }

  /** Returns whether a rollback would do harm to a node with this reason. */
  static boolean isRollbackHarmful(StallReason reason) {
    return named(reason).filter(cause -> cause.rollback == HARMFUL).isPresent();
  }

  /**
   * Returns whether the newest run of a seid ended for signatures of its key in the latest blocks.
   */
  public static boolean isForSignatures(Pod pod) {
    return newestEnd(pod).filter(end -> of(end) == SIGNING_ELSEWHERE).isPresent();
  }

  /** Returns reason and log line of a seid that reports bad data; else empty. */
  public static Optional<String> badData(Pod pod) {
    return newestEnd(pod)
        .filter(end -> isCertain(end) && OF_DATA.contains(of(end)))
        .map(end -> of(end).reason + ": " + LastWords.quoted(end.getMessage(), MAX_QUOTE));
  }

  /** The end of the newest run of a seid that is not Ready. */
  private static Optional<ContainerStateTerminated> newestEnd(Pod pod) {
    return PodFacts.status(pod, Names.SEID)
        .filter(seid -> !Boolean.TRUE.equals(seid.getReady()))
        .flatMap(PodFacts::lastEnd);
  }

  private static Optional<CauseOfDeath> named(StallReason reason) {
    return Stream.of(values()).filter(cause -> cause.reason == reason).findFirst();
  }

  private boolean isToldBy(String line) {
    return lines.stream().anyMatch(candidate -> candidate.words().matcher(line).find());
  }

  StallReason reason() {
    return reason;
  }

  Stalls stalls() {
    return stalls;
  }

  Rollback rollback() {
    return rollback;
  }

  /** Advice for the user; null where it depends on more than the cause. */
  String advice() {
    return advice;
  }

  List<Line> lines() {
    return lines;
  }

  /** Finds the evidence for the last line of a run; empty if the table does not have the line. */
  public static Optional<Proof> proofOf(String line) {
    return Stream.of(values())
        .flatMap(cause -> cause.lines.stream())
        .filter(known -> known.words().matcher(line).find())
        .map(Line::proof)
        .findFirst();
  }

  private static Line toldBy(String words, Proof proof, String source) {
    return new Line(Pattern.compile(words), proof, source);
  }
}
