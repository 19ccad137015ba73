package io.sei.operator.diagnosis;

import io.sei.operator.diagnosis.LastWords.Kind;
import java.util.stream.Stream;

/**
 * How the real seid died: v6.4.4, v6.5.2 and v6.6.2 on Kubernetes 1.37.2 with a real kubelet,
 * observed in November 2026. Panics and errors are words of stderr, the rest is slog's text on
 * stdout. Where a line names what does not matter here it is shortened.
 */
final class SeidDeaths {

  /** Before each: what seid logs when it starts. */
  private static final String START =
      "time=2026-11-25T09:00:00.000Z level=INFO msg=\"starting node\" logger=seid\n"
          + "time=2026-11-25T09:00:01.000Z level=ERROR msg=\"peer failed\" logger=p2p\n";

  private static final String TRACE =
      "\n\ngoroutine 1 [running]:\nmain.main()\n\tgithub.com/sei/main.go:12 +0x1d\n";

  /** cobra is never told to be silent: 6 to 8 KB of these follow an error. */
  private static final String USAGE =
      "Usage:\n  seid start [flags]\n\nFlags:\n"
          + "      --halt-height uint   Block height at which to gracefully halt the chain\n"
              .repeat(100)
          + "\nGlobal Flags:\n      --trace   print out full stack trace on errors\n\n";

  /** One of them; {@code exit} and {@code after} as the kubelet and the log had it. */
  record Death(String name, int exit, Kind kind, String line, String after) {

    String log() {
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

  static Stream<Death> all() {
    return Stream.of(upgrades(), panics(), errors(), halts()).flatMap(deaths -> deaths);
  }

  private static Stream<Death> upgrades() {
    return Stream.of(
        panic(
            "halt at a plan, and again after each restart",
            "UPGRADE \"v6.5\" NEEDED at height: 833: {\"note\":\"x\"} [recovered, repanicked]"),
        panic(
            "too early",
            "BINARY UPDATED BEFORE TRIGGER! UPGRADE \"v6.5\" - in binary but not executed on chain"
                + " [recovered, repanicked]"),
        panic(
            "old binary on newer data",
            "Wrong app version 0, upgrade handler is missing for v6.5 upgrade plan"
                + " [recovered, repanicked]"));
  }

  private static Stream<Death> panics() {
    return Stream.of(
        panic(
            "disk full in a block",
            "error when getting working hash: failed to write data: failed to write batch: write"
                + " /sei/data/changelog/000001: no space left on device [recovered, repanicked]"),
        panic(
            "state store damaged",
            "failed to create cosmos MVCC DB: failed to open PebbleDB: pebble: malformed manifest"
                + " file \"MANIFEST-000001\" for DB \"/sei/data/pebbledb\""),
        panic(
            "chain id in client.toml wrong",
            "genesis file chain-id=lab-2 does not equal config.toml chain-id="),
        panic(
            "no genesis.json, or committer.db damaged",
            "runtime error: invalid memory address or nil pointer dereference"));
  }

  private static Stream<Death> errors() {
    return Stream.of(
        error(
            "app hash wrong",
            "error starting node: error on replay: block.AppHash does not match AppHash after"
                + " replay. Got 'E3B0', expected '9F86'."),
        error(
            "data locked by another process",
            "failed to initialize database: resource temporarily unavailable"),
        error(
            "port taken",
            "error starting node: failed to listen on 0.0.0.0:26657: listen tcp 0.0.0.0:26657:"
                + " bind: address already in use"),
        error(
            "block store damaged",
            "error creating node: error=\"initDBs(): unable to initialize blockstore: failed to"
                + " initialize database: leveldb/storage: corrupted or incomplete CURRENT file\""
                + " closerError=\"\""),
        error(
            "signing state missing",
            "error creating node: open /sei/data/priv_validator_state.json: no such file or"
                + " directory"),
        error("config.toml broken", "While parsing config: toml: array is incomplete"),
        error(
            "client.toml unreadable",
            "couldn't get client config: Config File \"client\" Not Found in \"[/sei/config]\""));
  }

  /** Eight of nine runs ended by the signal, one of them well. */
  private static Stream<Death> halts() {
    String line =
        "level=INFO msg=\"halting node per configuration\" logger=cosmos/baseapp height=160";
    return Stream.of(
        new Death("halt-height", 143, Kind.CONFIGURED_HALT, line, ""),
        new Death("halt-height, stopped cleanly", 0, Kind.CONFIGURED_HALT, line, START));
  }

  private static Death panic(String name, String words) {
    return new Death(name, 2, Kind.PANIC, "panic: " + words, TRACE);
  }

  private static Death error(String name, String words) {
    return new Death(name, 1, Kind.ERROR, "Error: " + words, USAGE);
  }
}
