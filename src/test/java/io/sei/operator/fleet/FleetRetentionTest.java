package io.sei.operator.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.DeletionPropagation;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.api.v1alpha1.DataVolume.RetentionPolicy;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentSpec;
import io.sei.operator.testkit.Cases;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Checks which nodes remain after their fleet is deleted. */
class FleetRetentionTest extends FleetTestCase {

  private static final SeiNodeDeploymentSpec RETAIN =
      fleetSpec(2, A).withDeletionPolicy(RetentionPolicy.RETAIN);

  static Stream<DeletionPropagation> ways() {
    return Cases.of(1, DeletionPropagation.BACKGROUND, DeletionPropagation.FOREGROUND);
  }

  @ParameterizedTest
  @MethodSource("ways")
  void retainedNodesLoseTheirOwnerLiveOnAndAreAdoptedWithoutARestart(
      DeletionPropagation propagation) {
    createReady(2);
    List<List<String>> before = podUids(2);

    patch("{'spec':{'deletionPolicy':'Retain'}}");

    eventually(
        () ->
            assertThat(nodes())
                .allMatch(node -> node.getMetadata().getOwnerReferences().isEmpty()));

    delete(propagation);

    eventually(() -> assertThat(fleet()).isNull());
    stays(
        () -> {
          assertThat(nodes()).hasSize(2).noneMatch(node -> node.isMarkedForDeletion());
          assertThat(claims()).hasSize(2);
        });
    assertThat(events(FLEET, "DeletingData")).isEmpty();

    create(RETAIN);

    awaitUpToDate(2, A);
    assertThat(podUids(2)).isEqualTo(before);
    assertThat(nodes()).allMatch(node -> node.getMetadata().getOwnerReferences().isEmpty());
    assertThat(events(FLEET, "RolloutStarted")).isEmpty();
    setImage(B);
    awaitUpToDate(2, B);
  }

  @ParameterizedTest
  @MethodSource("ways")
  void otherNodesGoWithTheirDeployment(DeletionPropagation propagation) {
    createReady(2);

    delete(propagation);

    eventually(
        () -> {
          assertThat(fleet()).isNull();
          assertThat(nodes()).isEmpty();
          assertThat(claims()).isEmpty();
          assertThat(readAll(Pod.class)).isEmpty();
          assertThat(
                  client
                      .apps()
                      .controllerRevisions()
                      .inNamespace(namespace)
                      .withLabel("sei.io/nodedeployment")
                      .list()
                      .getItems())
              .isEmpty();
        });
    awaitEvents("DeletingData", 1);
    assertThat(events(FLEET, "DeletingData").get(0).getMessage())
        .startsWith("the nodes are deleted with their chain data")
        .endsWith("claims data-fleet-0, data-fleet-1");
  }

  private void delete(DeletionPropagation propagation) {
    client.resource(fleet()).withPropagationPolicy(propagation).delete();
  }

  private List<PersistentVolumeClaim> claims() {
    return readAll(PersistentVolumeClaim.class);
  }
}
