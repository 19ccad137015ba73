package io.sei.operator.diagnosis;

import static io.sei.operator.diagnosis.PodSamples.NOW;
import static io.sei.operator.diagnosis.PodSamples.backOff;
import static io.sei.operator.diagnosis.PodSamples.ended;
import static io.sei.operator.diagnosis.PodSamples.pod;
import static io.sei.operator.diagnosis.PodSamples.ready;
import static io.sei.operator.diagnosis.PodSamples.running;
import static io.sei.operator.diagnosis.PodSamples.terminating;
import static io.sei.operator.diagnosis.PodSamples.upAgain;
import static io.sei.operator.diagnosis.PodSamples.waiting;
import static io.sei.operator.testkit.samples.PodSample.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.sei.operator.diagnosis.NodeFacts.State;
import io.sei.operator.testkit.samples.End;
import java.time.Instant;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.NullSource;

class PodFactsTest {

  private static final String HALT = "UPGRADE \"v6\" NEEDED at height: 100: {}";

  @Test
  void machineIsInDoubtOncePodIsUnreadyForLong() {
    assertThat(PodFacts.isKubernetesNodeInDoubt(unreadyFor(60), NOW)).isFalse();
    assertThat(PodFacts.isKubernetesNodeInDoubt(unreadyFor(61), NOW)).isTrue();
    assertThat(PodFacts.isKubernetesNodeInDoubt(aPod(pod()).overruled().build(), NOW)).isTrue();
    assertThat(PodFacts.isKubernetesNodeInDoubt(pod(), NOW)).isFalse();
    assertThat(PodFacts.isKubernetesNodeInDoubt(PodSamples.ready(pod()), NOW)).isFalse();
  }

  private static Pod unreadyFor(int seconds) {
    return aPod(pod()).condition("Ready", "False", NOW.minusSeconds(seconds)).build();
  }

  /** The kubelet makes the sandbox of a pod once its volumes are mounted. */
  @Test
  void volumesAreAwaitedUntilThereIsASandbox() {
    Pod creating = pod(PodSamples.waiting("seid", "ContainerCreating", null));

    assertThat(PodFacts.awaitsVolumes(creating)).isTrue();
    assertThat(PodFacts.awaitsVolumes(withSandbox(creating, "False"))).isTrue();
    assertThat(PodFacts.awaitsVolumes(withSandbox(creating, "True"))).isFalse();
    assertThat(PodFacts.awaitsVolumes(terminating(creating, NOW))).isFalse();
    assertThat(PodFacts.awaitsVolumes(pod(PodSamples.running("seid")))).isFalse();
    assertThat(PodFacts.awaitsVolumes(PodSamples.unscheduled("no room"))).isFalse();
  }

  private static Pod withSandbox(Pod pod, String status) {
    return aPod(pod).condition("PodReadyToStartContainers", status).build();
  }

  @Test
  void readiness() {
    assertThat(PodFacts.isReady(ready(pod()))).isTrue();
    assertThat(PodFacts.isReady(terminating(ready(pod()), NOW))).isTrue();
    assertThat(PodFacts.isReady(pod())).isFalse();
  }

  @Test
  void podWasReadyIfItLostReadinessAfterItsKubeletAcceptedIt() {
    assertThat(PodFacts.wasReady(ready(pod()))).isTrue();
    assertThat(PodFacts.wasReady(unreadySince(NOW.plusSeconds(60)))).isTrue();
    assertThat(PodFacts.wasReady(unreadySince(NOW))).isFalse();
    assertThat(PodFacts.wasReady(pod())).isFalse();
    assertThat(PodFacts.wasReady(null)).isFalse();
  }

  @Test
  void podIsReadySinceTheTransitionOfItsCondition() {
    Pod since = aPod(pod()).condition("Ready", "True", NOW).build();

    assertThat(PodFacts.readySince(since)).contains(NOW);
    assertThat(PodFacts.readySince(ready(pod()))).contains(Instant.EPOCH);
    assertThat(PodFacts.readySince(unreadySince(NOW))).isEmpty();
    assertThat(PodFacts.readySince(null)).isEmpty();
  }

  @Test
  void readinessIsOverruledIfAllContainersAreReady() {
    Pod unready = unreadySince(NOW);
    Pod overruled = aPod(unready).condition("ContainersReady", "True").build();
    assertThat(PodFacts.isReadinessOverruled(overruled)).isTrue();
    assertThat(PodFacts.isReadinessOverruled(unready)).isFalse();
    assertThat(PodFacts.isReadinessOverruled(ready(pod()))).isFalse();
  }

  /** A pod that its kubelet accepted now. */
  private static Pod unreadySince(Instant since) {
    return aPod(pod())
        .edit(builder -> builder.editStatus().withStartTime(NOW.toString()).endStatus())
        .condition("Ready", "False", since)
        .build();
  }

  @Test
  void termination() {
    Pod leaving = terminating(pod(), NOW);
    assertThat(PodFacts.isTerminating(leaving)).isTrue();
    assertThat(PodFacts.isTerminating(pod())).isFalse();
    assertThat(PodFacts.isOverdue(leaving, NOW)).isFalse();
    assertThat(PodFacts.isOverdue(leaving, NOW.plusSeconds(2))).isFalse();
    assertThat(PodFacts.isOverdue(leaving, NOW.plusSeconds(3))).isTrue();
    assertThat(PodFacts.isOverdue(pod(), NOW)).isFalse();
  }

  @Test
  void identity() {
    Pod owned =
        aPod(pod())
            .label("controller-revision-hash", "val-7d9")
            .ownedBy("StatefulSet", "val", "sts-uid")
            .build();
    var bystander = new OwnerReferenceBuilder().withUid("bystander").build();
    owned.getMetadata().getOwnerReferences().add(0, bystander);
    assertThat(PodFacts.revision(owned)).contains("val-7d9");
    assertThat(PodFacts.ownerUid(owned)).contains("sts-uid");
    assertThat(PodFacts.revision(pod())).isEmpty();
    assertThat(PodFacts.ownerUid(pod())).isEmpty();
  }

  @Test
  void imagesOfContainersAndInitContainers() {
    Pod pod =
        aPod(pod(running("seid"), waiting("cosmos-exporter", "ContainerCreating", null)))
            .initStatuses(running("sei-sidecar"))
            .container("seid", "seid:v6")
            .initContainer("sei-sidecar", "sidecar:v1")
            .build();
    assertThat(PodFacts.image(pod, "seid")).contains("seid:v6");
    assertThat(PodFacts.image(pod, "sei-sidecar")).contains("sidecar:v1");
    assertThat(PodFacts.image(pod, "cosmos-exporter")).isEmpty();
    assertThat(PodFacts.imageId(pod, "seid")).isPresent();
    assertThat(PodFacts.imageId(pod, "sei-sidecar")).isPresent();
    assertThat(PodFacts.imageId(pod, "cosmos-exporter")).isEmpty();
    assertThat(PodFacts.imageId(pod, "absent")).isEmpty();
  }

  @Test
  void haltedUntilReadyAgain() {
    assertThat(PodFacts.upgradePanic(backOff("seid", 1, End.exit(2, HALT))))
        .contains(new UpgradePanic(UpgradePanic.Kind.NEEDED, "v6", 100L));
    assertThat(PodFacts.upgradePanic(ended("seid", 0, End.exit(2, HALT)))).isPresent();
    assertThat(PodFacts.upgradePanic(upAgain("seid", 1, End.exit(2, HALT)))).isPresent();
    var ready = upAgain("seid", 1, End.exit(2, HALT));
    ready.setReady(true);
    assertThat(PodFacts.upgradePanic(ready)).isEmpty();
    assertThat(PodFacts.upgradePanic(backOff("seid", 1, End.exit(2, "boom")))).isEmpty();
  }

  static Stream<Pod> barePods() {
    return Stream.of(new Pod(), new PodBuilder().withNewStatus().endStatus().build());
  }

  @ParameterizedTest
  @NullSource
  @MethodSource("barePods")
  void aPodMayLackEverything(Pod pod) {
    assertThat(PodFacts.isReady(pod)).isFalse();
    assertThat(PodFacts.isTerminating(pod)).isFalse();
    assertThat(PodFacts.revision(pod)).isEmpty();
    assertThat(PodFacts.ownerUid(pod)).isEmpty();
    assertThat(PodFacts.image(pod, "seid")).isEmpty();
    assertThat(PodFacts.imageId(pod, "seid")).isEmpty();
    assertThat(Diagnosis.of(PodSamples.of(pod), NOW)).isEmpty();
  }

  @Test
  void addressIsThatOfAPodThatStillHasIt() {
    assertThat(PodFacts.address(null)).isEmpty();
    assertThat(PodFacts.address(at("", "Pending"))).isEmpty();
    assertThat(PodFacts.address(at("10.0.0.9", "Running"))).contains("10.0.0.9");
    assertThat(PodFacts.address(at("10.0.0.9", "Failed"))).isEmpty();
    assertThat(PodFacts.address(at("10.0.0.9", "Succeeded"))).isEmpty();
    assertThat(PodFacts.address(terminating(at("10.0.0.9", "Running"), NOW))).isEmpty();
  }

  private static Pod at(String address, String phase) {
    return aPod(pod()).address(address).phase(phase).build();
  }

  @Test
  void factsOfNodes() {
    var ready =
        new NodeBuilder()
            .withNewStatus()
            .addNewCondition()
            .withType("Ready")
            .withStatus("True")
            .endCondition()
            .endStatus()
            .build();
    var unknown = new NodeBuilder(ready).build();
    unknown.getStatus().getConditions().get(0).setStatus("Unknown");
    assertThat(NodeFacts.of("w", ready)).isEqualTo(new NodeFacts("w", State.READY));
    assertThat(NodeFacts.of("w", unknown)).isEqualTo(new NodeFacts("w", State.SILENT));
    assertThat(NodeFacts.of("w", null)).isEqualTo(new NodeFacts("w", State.GONE));
    assertThat(NodeFacts.of("w", ready).isLost()).isFalse();
    assertThat(NodeFacts.of("w", unknown).isLost()).isTrue();
    assertThat(NodeFacts.of("w", null).isLost()).isTrue();
    assertThat(NodeFacts.unreadable("w").isLost()).isFalse();
  }
}
