package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.sei.operator.testkit.KubeletSimulator;
import io.sei.operator.testkit.samples.Samples;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** One tenant's sidecars do not answer, and another tenant edits a node. */
class FairnessTest extends NodeTestCase {

  /** More nodes than a namespace has places with this setting. */
  private static final String THREADS = "2";

  private static final int SLOW_NODES = 12;

  private static final List<String> NAMES =
      IntStream.range(0, SLOW_NODES).mapToObj(i -> "slow-" + i).toList();

  @Test
  void changeIsCarriedOutWhileAllSidecarsOfAnotherNamespaceAreWaitedFor() {
    String slow = namespace + "-slow";
    client
        .resource(new NamespaceBuilder().withNewMetadata().withName(slow).endMetadata().build())
        .create();
    operator.stop();
    operator
        .with("SEI_WATCH_NAMESPACES", namespace + "," + slow)
        .with("SEI_RECONCILE_THREADS", THREADS)
        .with("SEI_SIDECAR_TIMEOUT", "1m")
        .start();
    createRunning();
    NAMES.forEach(name -> sidecar.faults(slow, name).hangTasks());
    try (var slowKubelet = KubeletSimulator.inNamespace(client, sidecar, slow)) {
      NAMES.forEach(name -> client.resource(Samples.node(slow, name, spec(A))).create());
      eventually(
          () ->
              assertThat(NAMES)
                  .filteredOn(name -> sidecar.faults(slow, name).unanswered() > 0)
                  .hasSizeGreaterThanOrEqualTo(Integer.parseInt(THREADS)));

      setImage(B);

      awaitUpToDate(B);
      assertThat(NAMES).allMatch(name -> sidecar.tasks(slow, name).isEmpty());
      NAMES.forEach(name -> sidecar.faults(slow, name).clear());
      eventually(() -> assertThat(NAMES).allMatch(name -> sidecar.isReady(slow, name)));
    }
  }
}
