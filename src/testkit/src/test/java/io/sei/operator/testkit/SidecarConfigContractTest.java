package io.sei.operator.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Contract of a sidecar's tasks that configure a node. */
@ParameterizedClass(name = "{0}")
@MethodSource("sidecars")
@Execution(ExecutionMode.SAME_THREAD)
class SidecarConfigContractTest extends SidecarContractCase {
  private static final Map<String, String> STATE_SYNC =
      Map.of(
          "state_sync.enable", "true",
          "state_sync.rpc_servers", "a:26657, b:26657",
          "state_sync.trust_height", "8000",
          "state_sync.trust_hash", "AB".repeat(32),
          "state_sync.trust_period", "336h0m0s",
          "state_sync.backfill_blocks", "100");

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "config-apply    | {}                  | mode is required for non-incremental",
        "config-apply    | {'mode':'replayer'} | invalid mode \"replayer\"",
        "config-apply    | {'mode':5}          "
            + " | Go struct field ConfigIntent.mode of type seiconfig.NodeMode",
        "config-apply    | {'mode':'full','overrides':{'no.such':'1'}}"
            + " | unknown override key \"no.such\"",
        "config-apply    | {'mode':'full','overrides':{'storage.snapshot_interval':'abc'}}"
            + " | expected integer",
        "config-apply    | {'mode':'full','overrides':{'storage.snapshot_interval':'-1'}}"
            + " | expected integer",
        "config-apply    | {'mode':'full','overrides':{'state_sync.enable':'maybe'}}"
            + " | invalid bool value: \"maybe\"",
        "config-apply    | {'mode':'full','overrides':{'state_sync.trust_period':'14d'}}"
            + " | invalid duration \"14d\": time: unknown unit \"d\" in duration \"14d\"",
        "config-apply    | {'mode':'full','incremental':true} | app.toml: no such file or"
            + " directory",
        "config-validate | {}                  | config-validate: reading config: ",
        "configure-state-sync | {}             | configure-state-sync: no peers in config.toml",
        "configure-state-sync | {'trustPeriod':5}"
            + " | json: cannot unmarshal number into Go struct field StateSyncRequest.trustPeriod",
        "config-patch    | {}                  | config-patch: at least one file is required",
        "config-patch    | {'files':{'app.toml':5}}"
            + " | cannot unmarshal number into Go struct field ConfigPatchRequest.files",
        "generate-identity | {}                | missing required param 'chainId'",
        "snapshot-restore | {'targetHeight':'5'}"
            + " | Go struct field SnapshotRestoreRequest.targetHeight of type int64",
        "snapshot-restore | {'targetHeight':-1} | targetHeight must be >= 0, got -1",
      })
  void parametersAreCheckedWhenTheTaskRuns(String type, String params, String error) {
    JsonNode task = run(type, params);

    assertThat(task.path("status").asText()).isEqualTo("failed");
    assertThat(task.path("error").asText()).contains(error);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{}               | missing required param 'sources'",
        "{'sources':[{'type':'static','addresses':[]}]} | source[0]: static source has empty",
        "{'sources':[{'type':'label'}]} | unknown type \"label\"",
        "{'sources':[{'type':'ec2Tags','tags':{'a':'b'}}]} | missing required field 'region'",
        "{'sources':[{'type':'static','addresses':['not a peer']}]} |",
      })
  void sourcesOfPeersAreCheckedWhereTheyAreKnown(String params, String error) {
    if (!sidecar.version().knows("discover-peers")) {
      return;
    }

    JsonNode task = run("discover-peers", params);

    assertThat(task.path("status").asText()).isEqualTo(error == null ? "completed" : "failed");
    assertThat(task.path("error").asText()).contains(error == null ? "" : error);
  }

  @Test
  void witnessesNeedAPortFrom55On() {
    if (!sidecar.version().readsRpcServers()) {
      return;
    }

    JsonNode task = run("configure-state-sync", "{'rpcServers':['nowhere']}");

    assertThat(task.path("error").asText()).contains("no reachable RPC witness among [nowhere]");
  }

  @Test
  void silentWitnessesAreLeftOutFrom55On() {
    if (!sidecar.version().readsRpcServers()) {
      return;
    }
    String live = sidecar.answeringPeer() + ":26657";
    String dead = sidecar.deadPeer() + ":26657";

    assertCompleted(
        run("configure-state-sync", "{'rpcServers':['%s','%s','%s']}", dead, live, live));

    assertThat(sidecar.stateSync("rpc-servers")).isEqualTo(live + "," + live);
    assertStateSync(true);
  }

  @Test
  void onlyLiveWitnessIsWrittenTwice() {
    String live = sidecar.answeringPeer();
    run("config-apply", fullWithPeer(live));

    assertCompleted(run("configure-state-sync", "{'backfillBlocks':-5}"));

    assertThat(sidecar.stateSync("rpc-servers")).isEqualTo("%1$s:26657,%1$s:26657".formatted(live));
    assertThat(sidecar.stateSync("trust-height")).isEqualTo("8000");
  }

  @Test
  void stateSyncIsLostForGoodWithTheNextFullConfiguration() {
    String apply = fullWithPeer(sidecar.answeringPeer());
    assertCompleted(run("config-apply", apply));
    assertCompleted(run("configure-state-sync", "null"));
    assertStateSync(true);

    assertCompleted(run("config-apply", "{'mode':'full','incremental':true}"));
    assertStateSync(true);
    assertCompleted(run("config-apply", apply));

    assertCompleted(run("configure-state-sync", "null"));
    assertCompleted(run("config-validate", "null"));
    assertStateSync(false);
  }

  @Test
  void stateSyncIsConfiguredAgainOnceItsMarkerIsGone() {
    assertCompleted(run("config-apply", fullWithPeer(sidecar.answeringPeer())));
    assertCompleted(run("configure-state-sync", "null"));
    assertCompleted(run("configure-state-sync", "{'trustPeriod':'100h'}"));
    assertThat(sidecar.stateSync("trust-period")).isNotEqualTo("100h");

    sidecar.forgetStateSync();

    assertCompleted(run("configure-state-sync", "{'trustPeriod':'100h'}"));
    assertThat(sidecar.stateSync("trust-period")).isEqualTo("100h");
    assertStateSync(true);
    assertCompleted(run("config-validate", "null"));
  }

  @Test
  void seedListensWhereItIsToldTo() {
    assertCompleted(
        run(
            "config-apply",
            "{'mode':'seed','overrides':{'network.p2p.listen_address':'tcp://0.0.0.0:26656'}}"));

    assertThat(sidecar.setting("config.toml", "p2p", "laddr")).isEqualTo("tcp://0.0.0.0:26656");
    assertCompleted(run("config-validate", "null"));
  }

  @Test
  void patchIsMergedIntoFilesAndStaysUntilTheyAreWritten() {
    run("config-apply", FULL);

    assertCompleted(
        run(
            "config-patch",
            "{'files':{'config.toml':{'statesync':{'trust-hash':'AB','trust-period':'1h0m0s'}},"
                + "'app.toml':{'giga':{'execution':{'parse_workers':'16'}}},"
                + "'more.toml':{'a':{'b':'c'}}}}"));
    assertCompleted(
        run("config-patch", "{'files':{'config.toml':{'statesync':{'trust-hash':null}}}}"));

    assertThat(sidecar.stateSync("trust-hash")).isEmpty();
    assertThat(sidecar.stateSync("trust-period")).isEqualTo("1h0m0s");
    assertThat(sidecar.setting("app.toml", "giga.execution", "parse_workers")).isEqualTo("16");

    assertCompleted(run("config-apply", "{'incremental':true}"));
    assertThat(sidecar.stateSync("trust-period")).isEqualTo("1h0m0s");
    assertThat(sidecar.setting("app.toml", "giga.execution", "parse_workers")).isEmpty();

    assertCompleted(run("config-apply", FULL));
    assertThat(sidecar.stateSync("trust-period")).isNotEqualTo("1h0m0s");
    assertThat(sidecar.setting("more.toml", "a", "b")).isEqualTo("c");
  }

  @Test
  void wholeNumberOfAPatchGetsAFractionUpTo70WhichIsNotReadUpTo62() {
    run("config-apply", FULL);

    assertCompleted(
        run(
            "config-patch",
            "{'files':{'app.toml':{'giga':{'execution':{'parse_workers':16}},"
                + "'state-sync':{'snapshot-interval':100}}}}"));

    String fraction = sidecar.version().keepsWholeNumbers() ? "" : ".0";
    assertThat(sidecar.setting("app.toml", "giga.execution", "parse_workers"))
        .isEqualTo("16" + fraction);
    for (String type : List.of("config-validate", "config-apply")) {
      JsonNode task = run(type, "{'incremental':true}");
      assertThat(task.path("error").asText())
          .contains(
              sidecar.version().readsFractions()
                  ? ""
                  : "TOML value has type float64; destination has type integer");
    }
    assertThat(sidecar.setting("app.toml", "state-sync", "snapshot-interval"))
        .isEqualTo(sidecar.version().readsFractions() ? "100" : "100.0");
  }

  @Test
  void badTrustPeriodIsSeenTooLate() {
    run("config-apply", fullWithPeer(sidecar.answeringPeer()));

    assertCompleted(run("configure-state-sync", "{'trustPeriod':'14d'}"));

    assertThat(run("config-validate", "null").path("error").asText())
        .contains("invalid duration \"14d\"");
    assertCompleted(run("configure-state-sync", "{'trustPeriod':'336h'}"));
    assertThat(run("config-validate", "null").path("status").asText()).isEqualTo("failed");
  }

  @Test
  void overridesConfigureStateSyncWithoutTheTaskThatDoes() {
    assertCompleted(run("config-apply", stateSync("'mode':'full'", "state_sync.enable", "yes")));

    assertThat(sidecar.stateSync("rpc-servers")).isEqualTo("a:26657,b:26657");
    assertThat(sidecar.stateSync("trust-height")).isEqualTo("8000");
    assertThat(sidecar.stateSync("trust-period")).isEqualTo("336h0m0s");
    assertThat(sidecar.stateSync("backfill-blocks")).isEqualTo("100");
    assertStateSync(true);
    assertCompleted(run("config-validate", "null"));
    assertCompleted(run("config-apply", FULL));
    assertStateSync(false);
  }

  @Test
  void laterOverridesNeedNoModeAndKeepWhatTheyDoNotName() {
    run("config-apply", fullWithPeer(sidecar.answeringPeer()));

    assertCompleted(
        run("config-apply", stateSync("'incremental':true", "state_sync.trust_height", "8000th")));

    assertThat(sidecar.stateSync("trust-height")).isEqualTo("8000");
    assertStateSync(true);
    assertCompleted(
        run("config-apply", "{'incremental':true,'overrides':{'state_sync.enable':'0'}}"));
    assertStateSync(false);
    assertCompleted(
        run("config-apply", "{'incremental':true,'overrides':{'state_sync.enable':'1'}}"));
    assertStateSync(true);
    assertCompleted(run("configure-state-sync", "null"));
    assertThat(sidecar.stateSync("trust-period")).isEqualTo("336h0m0s");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{'incremental':true,'overrides':{'no.such':'1'}}"
            + " | config-apply incremental: applying incremental overrides: unknown override key",
        "{'incremental':true,'overrides':{'storage.snapshot_interval':''}}"
            + " | \"storage.snapshot_interval\"=\"\": EOF",
        "{'incremental':true,'mode':'replayer'}"
            + " | config validation failed: [{\"severity\":\"ERROR\",\"field\":\"mode\","
            + "\"message\":\"unknown mode \\\"replayer\\\"; valid modes: validator, full, seed,",
      })
  void laterOverridesHaveWordsOfTheirOwn(String params, String error) {
    run("config-apply", FULL);

    JsonNode task = run("config-apply", params);

    assertThat(task.path("status").asText()).isEqualTo("failed");
    assertThat(task.path("error").asText()).contains(error);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "rpc_servers     | a:1 | at least two RPC servers are required when not using P2P",
        "trust_height    | 0   | must be \\u003e 0 when state sync is enabled",
        "trust_hash      | ''  | must be set when state sync is enabled",
        "trust_hash      | xyz | invalid hex: encoding/hex: invalid byte: U+0078 'x'",
        "trust_hash      | abc | invalid hex: encoding/hex: odd length hex string",
        "trust_period    | 0s  | must be \\u003e 0 when state sync is enabled",
        "trust_period    | -1h | must be \\u003e 0 when state sync is enabled",
        "backfill_blocks | -1  | must be \\u003e= 0",
      })
  void stateSyncThatCannotWorkIsNotWritten(String key, String value, String message) {
    run("config-apply", FULL);
    String field = "state_sync." + key;
    String error =
        "config validation failed: [{\"severity\":\"ERROR\",\"field\":\"%s\",\"message\":\"%s\"}]"
            .formatted(field, message);

    for (String kind : List.of("'mode':'full'", "'incremental':true")) {
      JsonNode task = run("config-apply", stateSync(kind, field, value));

      assertThat(task.path("status").asText()).isEqualTo("failed");
      assertThat(task.path("error").asText()).isEqualTo(error);
    }
    assertStateSync(false);
  }

  /** Nor does the mode keep a validator's snapshots from being written, which end its seid. */
  @ParameterizedTest
  @CsvSource({"validator, null, false", "seed, null, false", "full, kv, true", "archive, kv, true"})
  void indexAndStateStoreDependOnTheMode(String mode, String indexer, String stateStore) {
    assertCompleted(
        run("config-apply", "{'mode':'%s','overrides':{'storage.snapshot_interval':'50'}}", mode));

    assertThat(sidecar.setting("config.toml", "tx-index", "indexer")).contains(indexer);
    assertThat(sidecar.setting("app.toml", "state-store", "ss-enable")).isEqualTo(stateStore);
  }

  @Test
  void validationTellsOfMoreThanTheFindings() {
    run("config-apply", fullWithPeer(sidecar.answeringPeer()));
    assertCompleted(run("configure-state-sync", "{'trustPeriod':'0s'}"));

    assertThat(run("config-validate", "null").path("error").asText())
        .isEqualTo(
            "config validation failed: {\"valid\":false,\"version\":%d,\"mode\":\"full\","
                    .formatted(sidecar.version().configVersion())
                + "\"diagnostics\":[{\"severity\":\"ERROR\",\"field\":\"state_sync.trust_period\","
                + "\"message\":\"must be \\u003e 0 when state sync is enabled\"}]}");
  }

  private void assertStateSync(boolean enabled) {
    assertThat(sidecar.stateSync("enable").equals("true")).isEqualTo(enabled);
  }

  /** Parameters with overrides that configure state sync, one of them with another value. */
  private static String stateSync(String kind, String key, String value) {
    var overrides = new TreeMap<>(STATE_SYNC);
    overrides.put(key, value);
    return overrides.entrySet().stream()
        .map(override -> "'%s':'%s'".formatted(override.getKey(), override.getValue()))
        .collect(Collectors.joining(",", "{" + kind + ",'overrides':{", "}}"));
  }
}
