package io.sei.operator.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.DataVolume;
import io.sei.operator.api.v1alpha1.NodeTemplate;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.testkit.PodFault;
import io.sei.operator.testkit.samples.Samples;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A namespace is deleted while a fleet rolls, a node starts, and finalizers keep what they may. */
class NamespaceDeletionTest extends FleetTestCase {

  private static final String STARTING = "starting";

  private static final SeiNodeSpec RETAINED = spec(A).withDataVolume(Samples.retained());

  @Test
  void nodeThatStartsIsReleased() {
    kubelet.inject(namespace, STARTING + "-0", PodFault.UNSCHEDULABLE);
    createStarting("observe-image");

    client.namespaces().withName(namespace).delete();

    eventually(() -> assertThat(readAll(SeiNode.class)).isEmpty());
  }

  @Test
  @Tag("long")
  void itEndsInTheMiddleOfEverything() {
    create(
        fleetSpec(2, A)
            .withDeletionPolicy(DataVolume.RetentionPolicy.RETAIN)
            .withTemplate(new NodeTemplate(null, RETAINED)));
    awaitUpToDate(2, A);
    kubelet.injectForImage(B, PodFault.NEVER_READY);
    setImage(B);
    sidecar.faults(namespace, STARTING).hold("config-validate");
    createStarting("config-validate");
    eventually(() -> assertThat(pods(1)).hasSize(2));

    client.namespaces().withName(namespace).delete();

    eventually(
        Duration.ofMinutes(2),
        () -> assertThat(client.namespaces().withName(namespace).get()).isNull());
  }

  /** Creates a node of no fleet and waits until it is at this step of its init plan. */
  private void createStarting(String step) {
    client.resource(Samples.node(namespace, STARTING, RETAINED)).create();
    eventually(
        () ->
            assertThat(read(SeiNode.class, STARTING).getStatus().plan().currentTask().get().type())
                .isEqualTo(step));
  }
}
