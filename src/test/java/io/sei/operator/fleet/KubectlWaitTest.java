package io.sei.operator.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.testkit.KubectlSei;
import io.sei.operator.testkit.controlplane.ControlPlane.KubectlResult;
import io.sei.operator.testkit.samples.Samples;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Checks the exit codes of {@code kubectl sei wait} and {@code watch}, by which scripts continue or
 * stop.
 */
@Order(1)
class KubectlWaitTest extends FleetTestCase {

  private static final String NODE = "single";

  private KubectlSei plugin;

  @BeforeEach
  void prepare() {
    plugin = new KubectlSei(controlPlane, namespace);
  }

  @Test
  void aNodeThatIsKeptFromRunningIsNotWaitedFor() {
    createNode();
    assertThat(converged(NODE)).contains("snode/single: Running, " + A);

    KubectlResult refused = plugin.run("pause", NODE);
    assertThat(refused.exitCode()).isEqualTo(2);
    assertThat(refused.stderr()).contains("stops its pod");
    assertThat(plugin.run("pause", NODE, "--stop").exitCode()).isZero();
    assertEnds(
        NODE, "Paused: spec.paused is true, which stops the pod; kubectl sei resume snode/single");

    assertThat(plugin.run("resume", NODE).exitCode()).isZero();
    assertThat(plugin.run("hold", NODE).exitCode()).isZero();
    assertEnds(NODE, "Held: spec.maintenance.hold is Immediate; kubectl sei release snode/single");

    assertThat(plugin.run("release", NODE).exitCode()).isZero();
    converged(NODE);
  }

  @Test
  @Tag("long")
  void neitherIsAFleet() {
    createReady(2);
    converged(FLEET);

    assertThat(plugin.run("pause", FLEET).exitCode()).isZero();
    assertEnds(
        FLEET,
        "Paused: spec.updateStrategy.paused is true: rollouts are paused, nodes keep running;"
            + " kubectl sei resume snd/fleet");
    assertThat(plugin.run("pause", FLEET, "--stop").exitCode()).isZero();
    assertEnds(
        FLEET, "Paused: spec.paused is true, which stops every pod; kubectl sei resume snd/fleet");
    eventually(() -> assertThat(node(1).getSpec().paused()).isTrue());
    assertEnds("fleet-1", "kubectl sei resume snode/fleet-1, or snd/fleet if the fleet is paused");
    assertThat(plugin.run("resume", FLEET).exitCode()).isZero();
    converged(FLEET);
    awaitUpToDate(2, A);

    patch(node(1), "{'spec':{'paused':true}}");
    setImage(B);
    assertEnds(FLEET, "NodePaused: fleet-1 is paused; kubectl sei resume snode/fleet-1");
    patch(node(1), "{'spec':{'paused':null,'maintenance':{'hold':'Immediate'}}}");
    eventually(() -> assertThat(status().nodes().get(1).reason()).isEqualTo("NodeHeld"));
    assertEnds(FLEET, "NodeHeld: fleet-1 is held; kubectl sei release snode/fleet-1");
    patch(node(1), "{'spec':{'maintenance':null}}");

    converged(FLEET);
    assertThat(podImages(1)).contains(B);
    patch("{'spec':{'template':{'spec':{'maintenance':{'hold':'AfterExit'}}}}}");
    assertEnds(FLEET, "Held: spec.template.spec.maintenance.hold is AfterExit; unset it");
  }

  private String converged(String name) {
    KubectlResult waited = plugin.run("wait", name, "--timeout", "2m");
    assertThat(waited.exitCode()).as("%s", waited).isZero();
    return waited.stdout();
  }

  private void assertEnds(String name, String told) {
    KubectlResult waited = plugin.run("wait", name, "--timeout", "2m");
    assertThat(waited.exitCode()).as("%s", waited).isEqualTo(1);
    assertThat(waited.stderr()).contains(told).hasLineCount(1);
  }

  private void createNode() {
    client.resource(Samples.node(namespace, NODE, spec(A))).create();
  }

  private SeiNode node() {
    return client.resources(SeiNode.class).inNamespace(namespace).withName(NODE).get();
  }
}
