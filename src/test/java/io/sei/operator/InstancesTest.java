package io.sei.operator;

import static io.sei.operator.testkit.Patience.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.testkit.FaultyApiServer;
import io.sei.operator.testkit.OperatorProcess;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Two instances beside each other, each with its own namespaces and its own Lease. */
class InstancesTest extends ProcessTestCase {

  @Test
  @Tag("long")
  void eachManagesItsOwnNamespacesAndOneThatStopsDoesNotStopTheOther() {
    String other = createNamespace("other");
    FaultyApiServer door = door();
    OperatorProcess ours = startInNamespace(OperatorProcess.kubeconfig(door.config()));
    OperatorProcess theirs =
        start(kubeconfig(), Map.of("SEI_WATCH_NAMESPACES", other, "POD_NAMESPACE", other));
    ours.awaitLeading();
    theirs.awaitLeading();
    createNode("first");
    createNode(other, "first");

    eventually(() -> assertThat(hasStatefulSet(namespace, "first")).isTrue());
    eventually(() -> assertThat(hasStatefulSet(other, "first")).isTrue());
    assertThat(ours.isLeading()).isTrue();
    assertThat(theirs.isLeading()).isTrue();
    assertThat(door.received())
        .noneMatch(request -> request.path().contains("/namespaces/" + other));
    assertThat(theirs.metrics("/metrics").body()).doesNotContain("namespace=\"" + namespace + "\"");

    ours.terminate();
    assertThat(ours.awaitExit()).isZero();
    createNode("second");
    createNode(other, "second");

    eventually(() -> assertThat(hasStatefulSet(other, "second")).isTrue());
    assertThat(theirs.isLeading()).isTrue();
    assertThat(hasStatefulSet(namespace, "second")).isFalse();
  }
}
