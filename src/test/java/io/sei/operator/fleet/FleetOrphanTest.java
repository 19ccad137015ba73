package io.sei.operator.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.apps.ControllerRevision;
import io.fabric8.kubernetes.api.model.apps.ControllerRevisionBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.sei.operator.api.v1alpha1.NodeTemplate;
import io.sei.operator.api.v1alpha1.NodeTemplate.TemplateMetadata;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentSpec;
import io.sei.operator.api.v1alpha1.UpdateStrategy.InPlace;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * A fleet that is deleted with {@code --cascade=orphan} goes, and applying it again takes back what
 * it left. The data of a ControllerRevision is immutable and compared byte by byte, so whatever an
 * API server writes in another way than it was stored is in the garbage collector's way.
 */
class FleetOrphanTest extends FleetTestCase {

  /** Has a value that Go writes in another form than Java. */
  private static final SeiNodeDeploymentSpec SPEC =
      fleetSpec(2, A, new InPlace(null, 1, null, null, null))
          .withTemplate(
              new NodeTemplate(new TemplateMetadata(null, Map.of("note", "<x> & y")), spec(A)));

  @Test
  void itGoesAndIsAppliedAgainWithoutARestart() {
    create(SPEC);
    awaitUpToDate(2, A);
    setImage(B);
    eventually(() -> assertThat(currentImages()).containsExactly(A, B));
    awaitEvents("RolloutComplete", 1);
    final List<List<String>> before = podUids(2);

    orphan();

    assertThat(kept())
        .hasSize(2)
        .allMatch(revision -> revision.getMetadata().getOwnerReferences().isEmpty());
    create(SPEC.withTemplate(SPEC.template().withSpec(SPEC.template().spec().withImage(B))));

    eventually(() -> assertThat(revisions()).hasSize(2));
    awaitReadyAndUpToDate();
    assertThat(kept()).hasSize(2);
    assertThat(podUids(2)).isEqualTo(before);
    // Below the partition it is given back what the first fleet kept.
    patch(node(0), "{'metadata':{'annotations':{'note':null}}}");
    eventually(
        () -> assertThat(node(0).getMetadata().getAnnotations()).containsEntry("note", "<x> & y"));
    assertThat(specImages()).containsExactly(A, B);
    orphan();
  }

  /** Why revisions are applied: Java keeps the order of the fields and escapes otherwise. */
  @Test
  void dataThatTheApiServerWouldWriteOtherwiseKeepsARevisionFromBeingPatched() {
    assertThat(
            List.of("{'template':{'b':1,'a':2}}", "{'template':'<&>'}", "{'template':{'a':1.0}}"))
        .allSatisfy(this::assertNotPatched);
  }

  private void assertNotPatched(String data) {
    ControllerRevision stored =
        client
            .resource(
                new ControllerRevisionBuilder()
                    .withNewMetadata()
                    .withGenerateName("stored-")
                    .withNamespace(namespace)
                    .endMetadata()
                    .withRevision(1L)
                    .withData(
                        client
                            .getKubernetesSerialization()
                            .unmarshal(data.replace('\'', '"'), JsonNode.class))
                    .build())
            .create();

    assertThatThrownBy(
            () ->
                client
                    .resource(stored)
                    .patch(
                        PatchContext.of(PatchType.STRATEGIC_MERGE),
                        "{\"metadata\":{\"labels\":{\"a\":\"b\"}}}"))
        .isInstanceOf(KubernetesClientException.class)
        .hasMessageContaining("immutable");
  }

  private void awaitReadyAndUpToDate() {
    eventually(
        () -> {
          assertThat(status().readyReplicas()).isEqualTo(2);
          assertThat(status().updated()).isEqualTo("1/2");
          assertThat(status().rollout()).isNull();
          assertThat(currentImages()).containsExactly(A, B);
        });
  }

  private void orphan() {
    deleteOrphaning();
    assertThat(nodes())
        .hasSize(2)
        .allMatch(node -> node.getMetadata().getOwnerReferences().isEmpty())
        .noneMatch(node -> node.isMarkedForDeletion());
  }

  /** Returns the fleet's templates, whatever their owner. */
  private List<ControllerRevision> kept() {
    return readAll(ControllerRevision.class).stream()
        .filter(revision -> revision.getMetadata().getName().startsWith(FLEET + "-v1-"))
        .toList();
  }
}
