package io.sei.operator.machine;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.testkit.machine.Release;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Validators make a chain of their own from one manifest, others follow it, from its first block
 * and by state sync, and all go through an upgrade that the validators vote for in 20 seconds, and
 * that the operator lists itself ahead of its height. That such a chain makes blocks {@code
 * QuickstartOnMachineTest} shows, too.
 */
@Tag("long")
@Order(1)
@Execution(ExecutionMode.CONCURRENT)
class NetworkOnMachineTest extends MachineTestCase {

  private static final String FLEET = "net";
  private static final String PLAYED = "rpc";
  private static final String SYNCED = "synced";
  private static final List<String> VALIDATORS = List.of("net-0", "net-1", "net-2", "net-3");
  private static final List<String> OTHERS = List.of(PLAYED, SYNCED);

  /** More than a third of the power, without which no block is made. */
  private static final List<String> TWO_OF_FOUR = VALIDATORS.subList(2, 4);

  /** Blocks between two snapshots of the state, which all stay: none goes while it is fetched. */
  private static final int INTERVAL = 20;

  /**
   * Time for the vote, for two nodes to report the plan, and for the pulls. A real seid makes as
   * many blocks as its machine can.
   */
  private static final Duration AHEAD = Duration.ofSeconds(120);

  private static final Pattern EARLIEST = Pattern.compile("\"earliest_block_height\":\"(\\d+)\"");
  private static final Pattern LATEST = Pattern.compile("\"latest_block_height\":\"(\\d+)\"");
  private static final Pattern TIME = Pattern.compile("\"time\":\"([^\"]+)\"");
  private static final Pattern LAST_BLOCK = Pattern.compile("\"latest_block_time\":\"([^\"]+)\"");

  private static final String SPEC =
      """
      chainId: lab-1
      image: %s
      sidecar: {image: "ghcr.io/sei-protocol/seictl:v0.0.70"}
      peers: [{label: {selector: {sei.io/chain: lab-1}}}]
      upgradePolicy: {imageTemplates: ["%s"]}
      terminationGracePeriodSeconds: 20
      resources: {requests: {cpu: 10m, memory: 64Mi}}
      """
          .formatted(
              Release.CURRENT.image(), Release.NEXT.image().replace(Release.UPGRADE, "{name}"));

  private static final String NETWORK =
      """
      apiVersion: sei.io/v1alpha1
      kind: SeiNodeDeployment
      metadata: {name: %s}
      spec:
        replicas: 4
        genesis:
          chainId: lab-1
          accountBalance: 50000000usei
          overrides: {gov.voting_params.voting_period: 20s}
        template:
          spec:
            validator: {}
      %s
      """
          .formatted(FLEET, SPEC.indent(6));

  /** seid refuses them on a validator, whose state store is off. */
  private static final String SNAPSHOTS =
      "  overrides: {storage.snapshot_interval: \"%d\", storage.snapshot_keep_recent: \"100\"}\n"
          .formatted(INTERVAL);

  private static final String PROPOSAL =
      """
      apiVersion: sei.io/v1alpha1
      kind: SeiNodeTask
      metadata: {name: propose}
      spec:
        kind: GovSoftwareUpgrade
        target: {nodeRef: {name: net-0}}
        govSoftwareUpgrade:
          chainId: lab-1
          title: %1$s
          description: the next version
          upgradeName: %1$s
          upgradeHeight: %2$d
          initialDeposit: 10000000usei
          fees: 20000usei
          gas: 300000
      """;

  private static final String VOTE =
      """
      apiVersion: sei.io/v1alpha1
      kind: SeiNodeTask
      metadata: {name: vote-of-%1$s}
      spec:
        kind: GovVote
        target: {nodeRef: {name: %1$s}}
        govVote: {chainId: lab-1, proposalId: %2$s, option: "yes", fees: 20000usei, gas: 300000}
      """;

  @Test
  void makesBlocksIsFollowedByStateSyncAndUpgradesByAVoteOfItsValidators() {
    apply(NETWORK + node(PLAYED, "{}") + SNAPSHOTS);
    VALIDATORS.forEach(node -> awaitHeight(pod(node), 2));
    awaitHeight(pod(PLAYED), 2);
    assertThat(fleet("GenesisCeremonyComplete")).startsWith("True/");
    assertThat(kubectl("get", "job", FLEET + "-genesis", "--ignore-not-found")).isEmpty();
    assertThat(rpc(pod(PLAYED), "validators")).contains("\"total\":\"4\"");
    assertThat(earliest(PLAYED)).isEqualTo(1);

    joinByStateSync();
    int height = voteForAnUpgrade();

    OTHERS.forEach(node -> awaitUpgrade(node, height));
    VALIDATORS.forEach(node -> awaitUpgrade(node, height));
    eventually(() -> assertThat(fleet("UpToDate")).startsWith("True/"));
    assertThat(field("seinodes", SYNCED, "status.upgrades[0].state")).isEqualTo("Applied");

    eventually(() -> assertThat(fleet("Producing")).isEqualTo("True/HeightAdvancing"));
    TWO_OF_FOUR.forEach(node -> pause(node, true));
    eventually(() -> assertThat(fleet("Producing")).isEqualTo("False/HeightStalled"));
    TWO_OF_FOUR.forEach(node -> pause(node, false));
    eventually(() -> assertThat(fleet("Producing")).isEqualTo("True/HeightAdvancing"));
  }

  private void joinByStateSync() {
    awaitHeight(pod(PLAYED), INTERVAL + 1);
    apply(node(SYNCED, "{snapshot: {stateSync: {}}}"));

    awaitHeight(pod(SYNCED), INTERVAL + 2);

    assertThat(earliest(SYNCED)).as("the first block that it has").isGreaterThan(1);
  }

  /** Returns the height of the upgrade, which the operator has listed for all nodes ahead of it. */
  private int voteForAnUpgrade() {
    // The network leaves its accounts in Secrets: whoever votes puts them into the keyring.
    VALIDATORS.subList(0, 3).forEach(this::recoverAccount);
    int height = heightIn(AHEAD);
    apply(PROPOSAL.formatted(Release.UPGRADE, height));
    awaitConfirmed("propose");
    String proposal =
        field("seinodetasks", "propose", "status.outputs.govSoftwareUpgrade.proposalId");

    VALIDATORS.subList(0, 3).forEach(node -> apply(VOTE.formatted(node, proposal)));
    VALIDATORS.subList(0, 3).forEach(node -> awaitConfirmed("vote-of-" + node));

    Stream.concat(VALIDATORS.stream(), OTHERS.stream()).forEach(this::awaitListed);
    assertThat(heightNow(pod(PLAYED))).as("still ahead").isLessThan(height);
    return height;
  }

  private void awaitListed(String node) {
    eventually(
        () -> assertThat(field("seinodes", node, "status.upgrades[0].state")).isEqualTo("Ready"));
    assertThat(field("seinodes", node, "status.upgrades[0].source")).isEqualTo("Chain");
  }

  /** Returns the height of the chain after a time, at the pace since its second block. */
  private int heightIn(Duration time) {
    String status = rpc(pod(PLAYED), "status");
    int height = Integer.parseInt(of(LATEST, status));
    // The first one has the time of the genesis.
    Instant second = Instant.parse(of(TIME, rpc(pod(PLAYED), "block?height=2")));
    Duration age = Duration.between(second, Instant.parse(of(LAST_BLOCK, status)));
    return height + (int) (height * time.toMillis() / age.toMillis());
  }

  private void awaitUpgrade(String node, int height) {
    awaitHeight(pod(node), height + 1);
    eventually(
        () ->
            assertThat(field("seinodes", node, "status.currentImage"))
                .startsWith(Release.NEXT.image() + "@"));
  }

  private void pause(String node, boolean paused) {
    String patch = "{\"spec\":{\"paused\":%b}}".formatted(paused);
    kubectl("patch", "seinode", node, "--type=merge", "-p", patch);
  }

  private int earliest(String node) {
    return Integer.parseInt(of(EARLIEST, rpc(pod(node), "status")));
  }

  private static String of(Pattern field, String status) {
    Matcher matcher = field.matcher(status);
    assertThat(matcher.find()).as(field + " in " + status).isTrue();
    return matcher.group(1);
  }

  private static String node(String name, String fullNode) {
    return """
    ---
    apiVersion: sei.io/v1alpha1
    kind: SeiNode
    metadata: {name: %s}
    spec:
      fullNode: %s
      genesis: {configMap: {name: %s-genesis, key: genesis.json.gz}}
    %s
    """
        .formatted(name, fullNode, FLEET, SPEC.indent(2));
  }

  private static String pod(String node) {
    return node + "-0";
  }

  /** Status and reason of a condition of the fleet, such as {@code False/HeightStalled}. */
  private String fleet(String type) {
    String condition = "status.conditions[?(@.type=='" + type + "')].";
    return field("seinodedeployments", FLEET, condition + "status")
        + "/"
        + field("seinodedeployments", FLEET, condition + "reason");
  }
}
