package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.UpgradePolicy;
import io.sei.operator.api.v1alpha1.UpgradeSource;
import io.sei.operator.api.v1alpha1.UpgradeState;
import io.sei.operator.api.v1alpha1.UpgradeStatus;
import io.sei.operator.testkit.ChainSimulator.Fault;
import io.sei.operator.testkit.PodFault;
import io.sei.operator.testkit.samples.Samples;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Lists a plan that two nodes of the chain report, if the spec asks for it. */
class ListedByChainTest extends RolloutTestCase {

  private static final String WITNESS = "witness";
  private static final SeiNodeSpec LISTING =
      spec(A).withUpgradePolicy(new UpgradePolicy(List.of("mirror/sei:{name}", "sei:{name}")));

  @Test
  void planOfTwoNodesIsListedWithTheFirstImageThatIsThereAndRunsByItsDigestAfterTheHalt() {
    kubelet.injectForImage("mirror/sei:v2", PodFault.IMAGE_PULL);
    createListing();

    addWitness();

    eventually(() -> assertThat(upgrade().state()).isEqualTo(UpgradeState.READY));
    String image = upgrade().image();
    assertThat(image).matches("sei:v2@sha256:[0-9a-f]{64}");
    assertThat(upgrade().source()).isEqualTo(UpgradeSource.CHAIN);
    awaitCondition(
        NodeConditionType.UPGRADES_READY, ConditionStatus.TRUE, NodeReason.UPGRADES_PREPARED);
    operator.requests().clear();
    awaitAnotherLookAtNodes();
    assertThat(operator.requests().matching(request -> !request.path().endsWith("/log")))
        .as("one of each node, as of one without upgrades")
        .hasSize(2)
        .allMatch(request -> request.path().endsWith("/status"));
    assertThat(images()).as("nothing is early").containsExactly(A);

    kubelet.halt(namespace, POD, "v2", 100);

    awaitUpToDate(image);
    assertThat(images()).containsExactly(A, image);
    assertThat(upgrade().state()).isEqualTo(UpgradeState.APPLIED);
    assertThat(upgrade().source()).isEqualTo(UpgradeSource.CHAIN);
    assertThat(node().getSpec().upgrades()).isNull();
    assertThat(read(SeiNode.class, WITNESS).getStatus().upgrades()).as("without a policy").isNull();
  }

  /** The chain makes two blocks a second, and its nodes are asked every ten seconds. */
  @Tag("long")
  @Test
  void expeditedProposalIsToldDuringItsVoteAndListedBeforeItsHeight() {
    chain.chain().votesFor(Duration.ofDays(3), Duration.ofSeconds(40)).propose("v2", 5000, "");
    create(LISTING);
    client.resource(Samples.node(namespace, WITNESS, spec(A))).create();
    awaitUpToDate(A);
    awaitCondition(
        NodeConditionType.UPGRADES_READY, ConditionStatus.TRUE, NodeReason.UPGRADE_PROPOSED);

    chain.chain().endVotes().plan("v2", 5000, "");

    eventually(() -> assertThat(upgrade().state()).isEqualTo(UpgradeState.READY));
    assertThat(upgrade().source()).isEqualTo(UpgradeSource.CHAIN);
    assertThat(images()).as("nothing is early").containsExactly(A);
  }

  @Tag("long")
  @Test
  void imageThatNoTemplateHasIsReportedAheadAndAPersonsEntryWins() {
    kubelet.injectForImage("mirror/sei:v2", PodFault.IMAGE_PULL);
    kubelet.injectForImage("sei:v2", PodFault.IMAGE_PULL);
    createListing();

    addWitness();

    awaitCondition(
        NodeConditionType.UPGRADES_READY, ConditionStatus.FALSE, NodeReason.UPGRADE_IMAGE_PULL);
    assertThat(condition(NodeConditionType.UPGRADES_READY).message())
        .contains("\"v2\"", "tried mirror/sei:v2, sei:v2; the last answer: ");
    patch("{'spec':{'upgrades':[{'name':'v2','height':100,'image':'%s'}]}}".formatted(B));
    eventually(() -> assertThat(upgrade().state()).isEqualTo(UpgradeState.READY));
    assertThat(node().getStatus().upgrades())
        .singleElement()
        .satisfies(upgrade -> assertThat(upgrade.image()).isEqualTo(B))
        .satisfies(upgrade -> assertThat(upgrade.source()).isNull());
  }

  private void createListing() {
    chain.chain().at(50, Instant.now()).plan("v2", 100, "");
    create(LISTING);
    awaitUpToDate(A);
    awaitCondition(NodeConditionType.UPGRADES_READY, ConditionStatus.FALSE, NodeReason.NOT_LISTED);
    assertThat(condition(NodeConditionType.UPGRADES_READY).message())
        .contains("no second node reports it yet");
  }

  /** Both can be asked before either answers, or the second would be asked in five minutes. */
  private void addWitness() {
    client.resource(Samples.node(namespace, WITNESS, spec(A))).create();
    eventually(
        () ->
            assertThat(
                    Conditions.isTrue(
                        read(SeiNode.class, WITNESS).getStatus().conditions(),
                        NodeConditionType.READY))
                .isTrue());
    chain.fault(namespace, NODE, Fault.ERROR);
    chain.fault(namespace, WITNESS, Fault.ERROR);
    operator.stop();
    int before = chain.asked().size();
    operator.start();
    eventually(
        () ->
            assertThat(chain.asked().stream().skip(before).distinct().toList())
                .contains(namespace + "/" + NODE, namespace + "/" + WITNESS));
    chain.chain().at(50, Instant.now());
    chain.fault(namespace, NODE, null);
    chain.fault(namespace, WITNESS, null);
  }

  private UpgradeStatus upgrade() {
    return node().getStatus().upgrades().get(0);
  }
}
