package io.sei.operator.observability;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.DataVolume;
import io.sei.operator.api.v1alpha1.DataVolume.Import;
import io.sei.operator.api.v1alpha1.FleetConditionType;
import io.sei.operator.api.v1alpha1.FleetConfiguration;
import io.sei.operator.api.v1alpha1.FullNode;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentStatusBuilder;
import io.sei.operator.api.v1alpha1.SeiNodeSpecBuilder;
import io.sei.operator.api.v1alpha1.SeiNodeStatusBuilder;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.chain.ChainAnswer;
import io.sei.operator.chain.ChainHead;
import io.sei.operator.chain.ChainReport;
import io.sei.operator.chain.ChainState;
import io.sei.operator.chain.UpgradePlan;
import io.sei.operator.render.SpecHash;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class StateMetricsTest {

  private final SeiNode node = new SeiNode();
  private boolean isReady;
  private final StateMetrics metrics =
      new StateMetrics(new ReconcileMetrics(new SimpleMeterRegistry(), Clock.systemUTC()));

  StateMetricsTest() {
    node.getMetadata().setNamespace("sei");
    node.getMetadata().setName("rpc-0");
    spec("sei:a", false);
    running(SpecHash.of(node));
    metrics.ofNodes(() -> Stream.of(node), ready -> isReady);
  }

  @Test
  void aPodOfAnotherSpecIsOutdated() {
    assertThat(outdatedPods()).isZero();
    spec("sei:b", false);
    assertThat(outdatedPods()).isOne();
    running(SpecHash.of(node));
    assertThat(outdatedPods()).isZero();
  }

  @Test
  void aNodeWithoutAPodOrWithOneOfUnknownOriginHasNoneThatIsOutdated() {
    spec("sei:b", false);
    running(null);
    assertThat(outdatedPods()).isZero();
    running("v0:0123456789abcdef");
    assertThat(outdatedPods()).isZero();
  }

  @Test
  void aPausedNodeHasNone() {
    spec("sei:b", true);
    assertThat(outdatedPods()).isZero();
  }

  @Test
  void aNodeWithoutASpecDoesNotEndAScrape() {
    node.setSpec(null);
    assertThat(outdatedPods()).isZero();
  }

  @Test
  void aPodThatRunsTheImageOfAnUpgradeIsNotOutdated() {
    String base = SpecHash.of(node);
    spec("sei:b", false);
    String upgraded = SpecHash.of(node);
    spec("sei:a", false);
    node.setStatus(SeiNodeStatusBuilder.builder().podSpecHash(upgraded).podBaseHash(base).build());

    assertThat(outdatedPods()).isZero();
  }

  @Test
  void readinessIsThatOfThePod() {
    assertThat(value("sei_node_pod_ready")).contains(0.0);
    isReady = true;
    assertThat(value("sei_node_pod_ready")).contains(1.0);
  }

  @Test
  void onlyAnImportedClaimIsNamed() {
    assertThat(value("sei_node_imported_claim")).isEmpty();
    node.setSpec(
        node.getSpec().withDataVolume(new DataVolume(new Import("kept"), null, null, null, null)));
    assertThat(value("sei_node_imported_claim")).contains(1.0);
  }

  @Test
  void whatIsKnownOfAChainIsThereAsSoonAsItIsKnown() {
    var plan = Optional.of(new UpgradePlan("v2", 100, false));
    var at = Instant.ofEpochSecond(1000);
    var first = ChainState.of(new ChainAnswer(new ChainHead("c", 50, at), plan));
    metrics.ofChains(() -> Stream.of(new ChainReport("sei", "c", first)));

    assertThat(value("sei_chain_height")).contains(50.0);
    assertThat(value("sei_chain_upgrade_height")).contains(100.0);
    assertThat(value("sei_chain_upgrade_time_seconds")).isEmpty();

    var later = new ChainAnswer(new ChainHead("c", 60, at.plusSeconds(20)), plan);
    metrics.ofChains(() -> Stream.of(new ChainReport("sei", "c", first.heard(later, true))));
    assertThat(value("sei_chain_upgrade_time_seconds")).contains(1100.0);

    var gone = new ChainAnswer(new ChainHead("c", 60, at.plusSeconds(20)), Optional.empty());
    metrics.ofChains(() -> Stream.of(new ChainReport("sei", "c", first.heard(gone, false))));
    assertThat(value("sei_chain_height")).contains(60.0);
    assertThat(value("sei_chain_upgrade_height")).isEmpty();
  }

  @Test
  void stallOfAFleetIsReportedByItsReason() {
    SeiNodeDeployment fleet = fleet();
    List<Condition> conditions =
        Conditions.with(
            List.of(),
            FleetConditionType.STALLED,
            ConditionStatus.TRUE,
            StallReason.CEREMONY_FAILED,
            "",
            1L,
            Instant.EPOCH);

    fleet.setStatus(SeiNodeDeploymentStatusBuilder.builder().build());
    assertThat(value("sei_snd_stalled")).isEmpty();
    fleet.setStatus(SeiNodeDeploymentStatusBuilder.builder().conditions(conditions).build());
    assertThat(value("sei_snd_stalled")).contains(1.0);
  }

  @Test
  void rollbackIsReportedByPartUntilTheSpecAsksForSomethingElse() {
    SeiNodeDeployment fleet = fleet();
    var status = SeiNodeDeploymentStatusBuilder.builder();

    fleet.setStatus(status.build());
    assertThat(partsRolledBack()).isEmpty();
    fleet.setStatus(status.failedTemplateHash("v1-b").build());
    assertThat(partsRolledBack()).containsExactly("template");
    var configuration =
        new FleetConfiguration("h", "v1-b", null, null, "rpc-0: ConfigInvalid", null);
    fleet.setStatus(status.configuration(configuration).build());
    assertThat(partsRolledBack()).containsExactlyInAnyOrder("template", "configuration");
    var corrected = new FleetConfiguration("i", "v1-b", null, null, null, null);
    fleet.setStatus(status.failedTemplateHash(null).configuration(corrected).build());
    assertThat(partsRolledBack()).isEmpty();
  }

  @Test
  void nodesAreCountedWhileAConfigurationIsGivenToThem() {
    SeiNodeDeployment fleet = fleet();
    var status = SeiNodeDeploymentStatusBuilder.builder();

    fleet.setStatus(status.build());
    assertThat(labels("sei_snd_replicas", "state")).doesNotContain("configured");
    var begun = new FleetConfiguration("h", "v1-b", List.of("rpc-1", "rpc-2"), null, null, null);
    fleet.setStatus(status.configuration(begun).build());
    assertThat(labels("sei_snd_replicas", "state")).contains("configured");
    assertThat(value("sei_snd_replicas")).contains(2.0);
    fleet.setStatus(
        status.configuration(new FleetConfiguration("h", "v1-b", null, null, null, null)).build());
    assertThat(labels("sei_snd_replicas", "state")).doesNotContain("configured");
  }

  private SeiNodeDeployment fleet() {
    var fleet = new SeiNodeDeployment();
    fleet.getMetadata().setNamespace("sei");
    fleet.getMetadata().setName("rpc");
    metrics.ofFleets(() -> Stream.of(fleet));
    return fleet;
  }

  private List<String> partsRolledBack() {
    return labels("sei_snd_rolled_back", "part");
  }

  private List<String> labels(String gauge, String label) {
    return metrics.collect().stream()
        .filter(snapshot -> snapshot.getMetadata().getName().equals(gauge))
        .flatMap(snapshot -> ((GaugeSnapshot) snapshot).getDataPoints().stream())
        .map(point -> point.getLabels().get(label))
        .toList();
  }

  private void spec(String image, boolean paused) {
    node.setSpec(
        SeiNodeSpecBuilder.builder()
            .chainId("atlantic-2")
            .image(image)
            .fullNode(new FullNode(null, null))
            .paused(paused)
            .build());
  }

  private void running(String specHash) {
    node.setStatus(SeiNodeStatusBuilder.builder().podSpecHash(specHash).build());
  }

  private double outdatedPods() {
    return value("sei_node_outdated_pods").orElseThrow();
  }

  private Optional<Double> value(String gauge) {
    return metrics.collect().stream()
        .filter(snapshot -> snapshot.getMetadata().getName().equals(gauge))
        .flatMap(snapshot -> ((GaugeSnapshot) snapshot).getDataPoints().stream())
        .findFirst()
        .map(snapshot -> snapshot.getValue());
  }
}
