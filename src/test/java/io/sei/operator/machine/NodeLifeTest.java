package io.sei.operator.machine;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.testkit.machine.Chain;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Follows a node through its life by kubectl. */
@Order(1)
@Execution(ExecutionMode.CONCURRENT)
class NodeLifeTest extends MachineTestCase {

  private static final String V1 = Chain.V1.image();
  private static final String V2 = Chain.V2.image();

  @Test
  void wrongImageIsNamedAndAFixedTagIsNotPulledAtEveryStart() {
    String latest = Chain.LATEST.image();
    createNode(latest);
    awaitBlocks(latest);
    String wrong = V1 + "-typo";

    editImage(wrong);
    eventually(
        () -> {
          assertThat(condition("Stalled")).isEqualTo("True/ImagePull");
          assertThat(message("Stalled")).contains(wrong);
        });
    editImage(V2);

    awaitBlocks(V2);
    eventually(() -> assertThat(condition("Stalled")).isEqualTo("False/NotStalled"));
    assertThat(seid("spec.containers", "imagePullPolicy")).isEqualTo("IfNotPresent");
  }

  @Test
  void privateImageIsPulledOnceThereIsASecret() {
    String image = Chain.privateImage();
    createNode(image);
    eventually(
        () -> {
          assertThat(condition("Stalled")).isEqualTo("True/ImagePull");
          assertThat(message("Stalled")).contains(image);
        });
    assertThat(message("SidecarReady")).doesNotContain("no pod");

    kubectl(
        "create",
        "secret",
        "docker-registry",
        "pull",
        "--docker-server=registry.example",
        "--docker-username=anybody",
        "--docker-password=" + Chain.PASSWORD);
    kubectl(
        "patch",
        "serviceaccount",
        "sei-node",
        "-p",
        "{\"imagePullSecrets\":[{\"name\":\"pull\"}]}");
    kubectl("delete", "pod", POD);

    awaitBlocks(image);
  }

  @Test
  void comesBackAfterItsPodIsDeletedByHandAndAfterAPauseThatLeavesNoPod() {
    createNode(V1);
    awaitBlocks(V1);
    String before = podUid();

    kubectl("delete", "pod", POD);

    eventually(() -> assertThat(podUid()).isNotEqualTo(before));
    awaitReady();
    awaitBlocks(V1);
    assertThat(condition("Stalled")).isEqualTo("False/NotStalled");

    int height = awaitHeight(POD, 2);
    // It hears of its end only when its time is up.
    signal("STOP", "seid");
    patch("{\"spec\":{\"paused\":true}}");
    kubectl("wait", "seinode/" + NODE, "--for=condition=Paused", "--timeout=1m");
    assertThat(kubectl("get", "pods", "-o", "name")).isEmpty();

    patch("{\"spec\":{\"paused\":false}}");

    eventually(() -> assertThat(condition("Paused")).startsWith("False/"));
    awaitHeight(POD, height + 1);
  }

  @Test
  void tooLittleMemoryIsToldAndMended() {
    createNode(V1);
    awaitBlocks(V1);

    patch(
        "{\"spec\":{\"resources\":{\"limits\":{\"memory\":\"24Mi\"},\"requests\":{\"memory\":\"24Mi\"}}}}");
    eventually(
        () -> {
          // It may serve for a second before it is killed, so that it is not stalled at once.
          assertThat(condition("Ready")).isEqualTo("False/OutOfMemory");
          assertThat(message("Ready")).contains("OOMKilled");
        });
    patch("{\"spec\":{\"resources\":{\"limits\":{\"memory\":\"512Mi\"}}}}");

    awaitBlocks(V1);
  }
}
