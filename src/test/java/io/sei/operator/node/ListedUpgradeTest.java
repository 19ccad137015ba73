package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.UpgradeState;
import io.sei.operator.api.v1alpha1.UpgradeStatus;
import io.sei.operator.testkit.PodFault;
import io.sei.operator.testkit.samples.Samples;
import java.time.Instant;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Switches a node whose spec lists an upgrade to its image once its own seid has halted. */
class ListedUpgradeTest extends ConfigTestCase {

  private static final String C = "sei:c";
  private static final String CORRECTED = "sei:b2";
  private static final SeiNodeSpec RETAINED = spec(A).withDataVolume(Samples.retained());

  @Test
  void nodeGoesOnWithTheListedImageWhenItHaltsAndTheOneLeftBehindIsRefusedByName() {
    createRunning();
    list("v2", 100, B);

    try (var versions = new NodeVersions(client, namespace)) {
      kubelet.halt(namespace, POD, "v2", 100);

      awaitUpToDate(B);
      assertThat(versions.seen(ListedUpgradeTest::whyNotReady))
          .as("at no moment")
          .noneMatch(message -> message.contains("list it in spec.upgrades"));
    }
    assertThat(images()).containsExactly(A, B);
    assertThat(podDeletes()).isEqualTo(1);
    assertThat(node().getSpec().image()).isEqualTo(A);
    assertThat(upgrade("v2").state()).isEqualTo(UpgradeState.APPLIED);
    assertThat(upgrade("v2").supersededImage()).isEqualTo(A);
    assertThat(upgrade("v2").evidence()).startsWith("panic: UPGRADE \"v2\" NEEDED at height: 100");
    assertThat(events(NODE, "UpgradeReached")).hasSize(1);
    assertThat(events(NODE, "HaltedAtUpgrade")).as("nobody has to do anything").isEmpty();

    list("v2", 100, CORRECTED);
    awaitUpToDate(CORRECTED);
    list("v3", 200, C);
    awaitAnotherLookAtNodes();
    patch("{'spec':{'image':'%s'}}".formatted(CORRECTED));
    awaitAnotherLookAtNodes();
    kubelet.halt(namespace, POD, "v3", 200);
    awaitUpToDate(C);

    patch("{'spec':{'image':'%s'}}".formatted(A));

    eventually(
        () ->
            assertCondition(
                NodeConditionType.UP_TO_DATE,
                ConditionStatus.FALSE,
                NodeReason.IMAGE_BEHIND_UPGRADE));
    assertThat(condition(NodeConditionType.UP_TO_DATE).message()).contains(A, "\"v3\"", C);
    assertThat(images()).containsExactly(A, B, CORRECTED, C);
  }

  private static String whyNotReady(SeiNodeStatus status) {
    return Conditions.find(status.conditions(), NodeConditionType.READY)
        .map(Condition::message)
        .orElse(null);
  }

  @Test
  void upgradeOfAnotherNameIsToldAndNotActedOn() {
    createRunning();
    list("v2", 100, B);

    kubelet.halt(namespace, POD, "v2-hotfix", 100);

    eventually(
        () -> assertCondition(NodeConditionType.READY, ConditionStatus.FALSE, "HaltedAtUpgrade"));
    awaitAnotherLookAtNodes();
    assertThat(images()).containsExactly(A);
    assertThat(upgrade("v2").isAhead()).isTrue();
    assertThat(events(NODE, "HaltedAtUpgrade"))
        .singleElement()
        .satisfies(
            event -> {
              assertThat(event.getType()).isEqualTo("Warning");
              assertThat(event.getMessage()).contains("\"v2-hotfix\" at height 100", "list it");
            });
  }

  @Tag("long")
  @Test
  void recreatedNodeGoesOnWithTheImageThatItsVolumeNeeds() {
    create(RETAINED);
    awaitUpToDate(A);
    list("v2", 100, B);
    kubelet.halt(namespace, POD, "v2", 100);
    awaitUpToDate(B);
    client.resource(node()).delete();
    eventually(() -> assertThat(node()).isNull());
    eventually(() -> assertThat(pod()).isNull());

    create(RETAINED);

    awaitUpToDate(B);
    assertThat(images()).containsExactly(A, B, B);
  }

  @Tag("long")
  @Test
  void pausedUpgradesWaitUntilTheyAreResumed() {
    createRunning();
    list("v2", 100, B);
    patch("{'spec':{'upgradesPaused':true}}");
    // Of a pod the operator may hear before it hears of its node.
    eventually(
        () ->
            assertCondition(
                NodeConditionType.UPGRADES_READY,
                ConditionStatus.FALSE,
                NodeReason.UPGRADES_PAUSED));
    kubelet.halt(namespace, POD, "v2", 100);
    eventually(
        () -> assertCondition(NodeConditionType.READY, ConditionStatus.FALSE, "HaltedAtUpgrade"));
    assertCondition(
        NodeConditionType.UPGRADES_READY, ConditionStatus.FALSE, NodeReason.UPGRADES_PAUSED);
    awaitAnotherLookAtNodes();
    assertThat(images()).containsExactly(A);

    patch("{'spec':{'upgradesPaused':null}}");

    awaitUpToDate(B);
    assertThat(podDeletes()).isEqualTo(1);
  }

  @Tag("long")
  @Test
  void restoredVolumeStartsWithTheImageOfItsHeightAndGoesBackIfThatCameTooEarly() {
    kubelet.injectForImage(B, new PodFault.ImageTooEarly("v2"));
    create(
        specOf(
            ("'fullNode':{'snapshot':{'s3':{'targetHeight':150}}},'upgrades':["
                    + "{'name':'v2','height':100,'image':'%s'},"
                    + "{'name':'v3','height':200,'image':'%s'}],"
                    + "'overrides':{'network.p2p.persistent_peers':'86f7e437faa5a7fce15d1ddcb9eaeaea377667b8@h:1,e9d71f5ee7c92d6dc9e92ffdad17b8bd49418f98@i:1'}")
                .formatted(B, C)));

    awaitUpToDate(A);
    assertThat(images()).containsExactly(B, A);
    assertThat(upgrade("v2").evidence()).contains("BINARY UPDATED BEFORE TRIGGER");
    assertThat(events(NODE, "UpgradeWithdrawn")).hasSize(1);
    kubelet.clearAll();
    kubelet.halt(namespace, POD, "v2", 100);
    awaitUpToDate(B);
    kubelet.halt(namespace, POD, "v3", 110);
    awaitUpToDate(C);
    assertThat(images()).containsExactly(B, A, B, C);
  }

  private void list(String name, long height, String image) {
    patch(
        "{'spec':{'upgrades':[{'name':'%s','height':%d,'image':'%s'}]}}"
            .formatted(name, height, image));
  }

  private UpgradeStatus upgrade(String name) {
    return node().getStatus().upgrades().stream()
        .filter(upgrade -> upgrade.name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void anUpgradeWhoseHeightHasPassedWithoutAPlanIsSaid() {
    chain.chain().at(120, Instant.now());
    createRunning();
    patch("{'spec':{'upgrades':[{'name':'v2','height':100,'image':'%s'}]}}".formatted(B));

    eventually(() -> assertThat(state()).isEqualTo(UpgradeState.PASSED));
    assertCondition(
        NodeConditionType.UPGRADES_READY, ConditionStatus.TRUE, NodeReason.UPGRADE_PASSED);
    assertThat(condition(NodeConditionType.UPGRADES_READY).message())
        .isEqualTo(
            "the chain is past height 100 of upgrade \"v2\" and has no such plan; remove the entry"
                + " from spec.upgrades unless another node has yet to reach that height, or correct"
                + " its name");
    operator.restart();
    annotate("touched", "yes");
    awaitAnotherLookAtNodes();
    assertThat(state()).isEqualTo(UpgradeState.PASSED);

    patch("{'spec':{'upgrades':[{'name':'v2','height':900,'image':'%s'}]}}".formatted(B));

    eventually(() -> assertThat(state()).isNotEqualTo(UpgradeState.PASSED));
  }

  private UpgradeState state() {
    return node().getStatus().upgrades() == null
        ? null
        : node().getStatus().upgrades().getFirst().state();
  }
}
