package io.sei.operator.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.FleetConditionType;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeTemplate;
import io.sei.operator.kube.KubernetesClients;
import io.sei.operator.render.Annotations;
import io.sei.operator.testkit.Cases;
import io.sei.operator.testkit.samples.Samples;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Claims of a fleet's nodes are deleted under their pods. */
class FleetDataVolumeAtRiskTest extends FleetTestCase {

  /** Whatever a fleet ends pods for. */
  enum Way {
    ROLLOUT(test -> test.setImage(B)),
    SCALE_DOWN_WITH_RETAIN(test -> test.patch("{'spec':{'replicas':1}}")),
    PAUSE(test -> test.patch("{'spec':{'paused':true}}")),
    RESTART(
        test ->
            test.patch(
                "{'metadata':{'annotations':{'%s':'now'}}}"
                    .formatted(Annotations.RESTART_REQUESTED_AT))),
    HALT_AT_A_LISTED_UPGRADE(FleetDataVolumeAtRiskTest::haltAtUpgrade);

    private final Consumer<FleetDataVolumeAtRiskTest> ask;

    Way(Consumer<FleetDataVolumeAtRiskTest> ask) {
      this.ask = ask;
    }
  }

  /**
   * Lists the ways in which a fleet itself ends pods; for those of its nodes see
   * DataVolumeAtRiskTest.
   */
  static Stream<Way> ways() {
    return Cases.of(1, Way.values());
  }

  @ParameterizedTest
  @MethodSource("ways")
  void allClaimsGoAtOnceAndNoPodDoes(Way way) {
    createRetaining(2);
    List<List<String>> pods = podUids(2);
    deleteClaim(0);
    deleteClaim(1);
    awaitAtRisk(0, 1);

    way.ask.accept(this);

    awaitAnotherLookAtFleets();
    stays(() -> assertThat(podUids(2)).isEqualTo(pods));
    assertThat(pods(0)).allMatch(candidate -> candidate.deletionRequestedAt() == null);
    assertThat(pods(1)).allMatch(candidate -> candidate.deletionRequestedAt() == null);
    assertThat(operator.requests().deleted()).noneMatch(text -> text.contains("/pods/"));
    assertThat(status().nodes())
        .filteredOn(summary -> way != Way.PAUSE)
        .allMatch(summary -> summary.reason().contains("DataVolumeAtRisk"));
    awaitEvents("DataVolumeAtRisk", 1);
  }

  @Tag("long")
  @Test
  void rolloutSkipsTheNodeAndTakesItOnceTheLossIsAccepted() {
    createRetaining(3);
    List<String> before = podUids(3).get(1);
    String claim = claim(1).getMetadata().getUid();
    deleteClaim(1);
    awaitAtRisk(1);

    setImage(B);

    eventually(() -> assertThat(currentImages()).containsExactly(B, A, B));
    awaitEvents("RolloutComplete", 1);
    assertCondition(FleetConditionType.UP_TO_DATE, ConditionStatus.FALSE);
    assertThat(podUids(3).get(1)).isEqualTo(before);
    assertThat(node(1).getSpec().image()).as("not admitted").isEqualTo(A);

    patch(node(1), "{'spec':{'dataVolume':{'acceptDataLoss':'%s'}}}".formatted(claim));

    awaitUpToDate(3, B);
    awaitAnotherLookAtFleets();
    assertThat(node(1).getSpec().dataVolume().acceptDataLoss()).isEqualTo(claim);
    assertThat(node(0).getSpec().dataVolume().acceptDataLoss()).isNull();
    assertCondition(FleetConditionType.DATA_VOLUME_AT_RISK, ConditionStatus.FALSE);
  }

  @Test
  void podsThatAreKeptHaveOneBudgetThatAllowsNoEviction() {
    createRetaining(3);
    patch(node(2), "{'spec':{'maintenance':{'hold':'Immediate'}}}");
    deleteClaim(1);

    eventually(
        () -> {
          assertThat(budget("fleet-1-keep").getStatus().getExpectedPods()).isEqualTo(1);
          assertThat(budget("fleet-2-keep").getStatus().getExpectedPods()).isEqualTo(1);
          assertThat(budget(FLEET).getSpec().getSelector().getMatchExpressions())
              .singleElement()
              .matches(
                  requirement -> requirement.getValues().equals(List.of("fleet-1", "fleet-2")));
          assertThat(budget(FLEET).getStatus().getExpectedPods()).isEqualTo(1);
        });
    eventually(
        () ->
            assertThat(nodeCondition(2, NodeConditionType.HELD).status())
                .isEqualTo(ConditionStatus.TRUE));
    // 429; with two budgets it would be 500, which throws.
    assertThat(evict(1)).isFalse();
    assertThat(evict(2)).isFalse();

    patch(node(2), "{'spec':{'maintenance':null}}");

    eventually(() -> assertThat(budget("fleet-2-keep")).isNull());
    eventually(() -> assertThat(budget(FLEET).getStatus().getExpectedPods()).isEqualTo(2));
  }

  private void createRetaining(int replicas) {
    create(
        fleetSpec(replicas, A)
            .withTemplate(new NodeTemplate(null, spec(A).withDataVolume(Samples.retained()))));
    awaitUpToDate(replicas, A);
  }

  private void awaitAtRisk(int... ordinals) {
    eventually(
        () -> {
          assertCondition(FleetConditionType.DATA_VOLUME_AT_RISK, ConditionStatus.TRUE);
          for (int ordinal : ordinals) {
            assertThat(condition(FleetConditionType.DATA_VOLUME_AT_RISK).message())
                .contains("fleet-" + ordinal + ": claim data-fleet-" + ordinal);
          }
        });
  }

  private void haltAtUpgrade() {
    patch(
        "{'spec':{'template':{'spec':{'upgrades':[{'name':'v2','height':100,'image':'%s'}]}}}}"
            .formatted(B));
    eventually(() -> assertThat(nodes()).allMatch(node -> node.getSpec().upgrades() != null));
    kubelet.halt(namespace, "fleet-0-0", "v2", 100);
    kubelet.halt(namespace, "fleet-1-0", "v2", 100);
    eventually(
        () ->
            assertThat(nodes())
                .allMatch(
                    node ->
                        node.getStatus().upgrades().stream()
                            .anyMatch(upgrade -> upgrade.isApplied())));
  }

  private boolean evict(int ordinal) {
    // Another client would try again for a minute.
    var once = new ConfigBuilder(client.getConfiguration()).withRequestRetryBackoffLimit(0).build();
    try (var asking = KubernetesClients.create(once)) {
      return asking.pods().inNamespace(namespace).withName("fleet-" + ordinal + "-0").evict();
    }
  }

  private void deleteClaim(int ordinal) {
    client.resource(claim(ordinal)).delete();
  }

  private PersistentVolumeClaim claim(int ordinal) {
    return read(PersistentVolumeClaim.class, "data-fleet-" + ordinal);
  }

  private PodDisruptionBudget budget(String name) {
    return read(PodDisruptionBudget.class, name);
  }
}
