package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.DeletionPropagation;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.testkit.Cases;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class NodeDeletionTest extends IdentityTestCase {

  static Stream<DeletionPropagation> ways() {
    return Cases.of(1, DeletionPropagation.FOREGROUND, DeletionPropagation.BACKGROUND);
  }

  @ParameterizedTest
  @MethodSource("ways")
  void everythingANodeOwnsGoesWithIt(DeletionPropagation how) {
    SeiNode node = createRunning();
    assertThat(node.getMetadata().getFinalizers()).isEmpty();

    delete(how);

    eventuallyWithoutEvent(
        () -> {
          assertThat(node()).isNull();
          assertNothingIsLeft();
        });
    stays(this::assertNothingIsLeft);
    eventually(() -> assertThat(events("DeletingData")).hasSize(1));
    assertThat(events("DeletingData").get(0).getType()).isEqualTo("Warning");
    assertThat(events("DeletingData").get(0).getMessage())
        .startsWith("the claim data-" + NODE + " and the chain data in it are deleted");
  }

  @Test
  void nodeDeletedWhileNoOperatorRanIsReleasedByTheNextAndFinalizersOfOthersStay() {
    createRunning();
    patch("{'metadata':{'finalizers':['sei.io/seinode-finalizer','example.com/other']}}");
    operator.stop();
    delete(DeletionPropagation.BACKGROUND);
    stays(() -> assertThat(node().getMetadata().getFinalizers()).hasSize(2));

    operator.start();

    eventually(
        () ->
            assertThat(node().getMetadata().getFinalizers()).containsExactly("example.com/other"));
    awaitQuiet();
    patch("{'metadata':{'finalizers':[]}}");
    eventually(() -> assertThat(node()).isNull());
  }

  private void delete(DeletionPropagation how) {
    client
        .resources(SeiNode.class)
        .inNamespace(namespace)
        .withName(NODE)
        .withPropagationPolicy(how)
        .delete();
  }

  private void assertNothingIsLeft() {
    assertThat(statefulSet() == null && pod() == null).isTrue();
    assertThat(client.services().inNamespace(namespace).list().getItems()).isEmpty();
    assertThat(client.persistentVolumeClaims().inNamespace(namespace).list().getItems()).isEmpty();
    assertThat(
            client
                .configMaps()
                .inNamespace(namespace)
                .withLabel("sei.io/node", NODE)
                .list()
                .getItems())
        .isEmpty();
  }
}
