package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.testkit.samples.Samples;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Two nodes that write to one volume destroy it, and no API server keeps them apart. */
class SharedClaimTest extends IdentityTestCase {

  private static final String CLAIM = "brought";
  private static final List<String> RIVALS = List.of("one", "other");

  @Tag("long")
  @Test
  void ofTwoNodesThatImportAClaimAtOnceOneHasItAndTheOtherSaysWhose() {
    operator.stop();
    createClaim(CLAIM);
    RIVALS.forEach(name -> create(name, importing(CLAIM)));

    operator.start();

    eventually(
        () ->
            assertThat(RIVALS.stream().filter(this::isRunning).count())
                .as("nodes that run")
                .isEqualTo(1));
    String winner = RIVALS.stream().filter(this::isRunning).findFirst().orElseThrow();
    String loser = RIVALS.stream().filter(name -> !name.equals(winner)).findFirst().orElseThrow();
    eventually(
        () -> {
          assertThat(imported(loser)).map(Condition::reason).contains("PVCInUse");
          assertThat(imported(loser).orElseThrow().message())
              .contains(CLAIM, "SeiNode " + winner, "spec.dataVolume.import.pvcName");
        });
    stays(() -> assertThat(podsOfTheClaim()).containsExactly(winner + "-0"));

    client.resources(SeiNode.class).inNamespace(namespace).withName(winner).delete();

    eventually(() -> assertThat(isRunning(loser)).isTrue());
    assertThat(podsOfTheClaim()).containsExactly(loser + "-0");
  }

  @Tag("long")
  @Test
  void retainedDataThatAnotherNodeHasImportedIsNotTakenBackByANodeOfTheOldName() {
    create(spec(A).withDataVolume(Samples.retained()));
    awaitUpToDate(A);
    client.resources(SeiNode.class).inNamespace(namespace).withName(NODE).delete();
    eventuallyWithoutEvent(() -> assertThat(pod()).isNull());
    eventuallyWithoutEvent(() -> assertThat(node()).isNull());
    create("other", importing("data-" + NODE));
    eventually(() -> assertThat(isRunning("other")).isTrue());

    create(spec(A));

    eventually(
        () ->
            assertThat(node().getStatus().plan().currentTask().orElseThrow().message())
                .contains("data-" + NODE, "SeiNode other"));
    stays(() -> assertThat(podsOf("data-" + NODE)).containsExactly("other-0"));
  }

  private boolean isRunning(String name) {
    return get(name).getStatus() != null && get(name).getStatus().phase() == NodePhase.RUNNING;
  }

  private Optional<Condition> imported(String name) {
    return Optional.ofNullable(get(name).getStatus())
        .flatMap(
            status -> Conditions.find(status.conditions(), NodeConditionType.IMPORT_PVC_READY));
  }

  private List<String> podsOfTheClaim() {
    return podsOf(CLAIM);
  }

  private List<String> podsOf(String claim) {
    return readAll(Pod.class).stream()
        .filter(pod -> mounts(pod, claim))
        .map(pod -> pod.getMetadata().getName())
        .toList();
  }

  private static boolean mounts(Pod pod, String claim) {
    return pod.getSpec().getVolumes().stream()
        .anyMatch(
            volume ->
                volume.getPersistentVolumeClaim() != null
                    && claim.equals(volume.getPersistentVolumeClaim().getClaimName()));
  }

  private SeiNode get(String name) {
    return read(SeiNode.class, name);
  }

  private void create(String name, SeiNodeSpec spec) {
    client.resource(Samples.node(namespace, name, spec)).create();
  }

  private static SeiNodeSpec importing(String claim) {
    return spec(A).withDataVolume(Samples.imported(claim));
  }
}
