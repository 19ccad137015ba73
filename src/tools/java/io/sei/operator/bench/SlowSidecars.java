package io.sei.operator.bench;

import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.render.Names;
import io.sei.operator.testkit.AuditLog;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Effect of slow and dead sidecars on other nodes: time from a spec change to the deletion of the
 * pod, without and with them, in one run.
 */
record SlowSidecars(World world, Nodes edited, Series series, int size) {

  private static final String SLOW = "slow";

  /** Just below what a request may take. */
  private static final Duration DELAY = Duration.ofMillis(1850);

  /** A new node has its sidecar do this first, and is asked how far it is until it is done. */
  private static final String FIRST_TASK = "configure-genesis";

  private static final int EDITS = 50;

  /** Measures beside as many nodes of another namespace, whose sidecars answer after 1.85 s. */
  static void ofAnotherNamespace(World world, Series series, int size) {
    var measured = new SlowSidecars(world, new Nodes(world), series, size);
    measured.edited.start(EDITS, "sei:v0");
    measured.edits("spec change in another namespace", EDITS, "sei:v1");
    world.createNamespace(SLOW);
    var slow = new Nodes(world, SLOW, "s", false);
    IntStream.range(0, size)
        .forEach(i -> world.sidecars().faults(SLOW, slow.name(i)).delay(DELAY).hold(FIRST_TASK));
    slow.create(0, size, "sei:v0");
    Timed.until(
        () ->
            IntStream.range(0, size)
                .noneMatch(i -> world.sidecars().tasks(SLOW, slow.name(i)).isEmpty()));
    measured.edits("the same beside slow sidecars", EDITS, "sei:v2");
  }

  /** Measures in a namespace where four of five nodes have sidecars that do not answer. */
  static void ofItsOwn(World world, Series series, int size) {
    var measured = new SlowSidecars(world, new Nodes(world), series, size);
    int healthy = Math.max(1, size / 5);
    measured.edited.start(size, "sei:v0");
    measured.edits("spec change of one node in five", healthy, "sei:v1");
    IntStream.range(healthy, size)
        .peek(i -> world.sidecars().faults(World.NAMESPACE, measured.edited.name(i)).hang())
        .forEach(i -> measured.edited.setImage(i, "sei:v1"));
    Timed.until(() -> IntStream.range(healthy, size).allMatch(measured::isReplaced));
    measured.edits("the same beside four dead sidecars of five", healthy, "sei:v2");
  }

  private boolean isReplaced(int index) {
    return pod(index)
        .flatMap(pod -> PodFacts.image(pod, Names.SEID))
        .filter("sei:v1"::equals)
        .isPresent();
  }

  /** One edit after the other; what follows the deletion of the pod is not waited for. */
  private void edits(String what, int count, String image) {
    Instant begin = Instant.now();
    for (int i = 0; i < count; i++) {
      int index = i;
      Timed.until(() -> pod(index).isPresent());
      String uid = pod(index).orElseThrow().getMetadata().getUid();
      edited.setImage(index, image);
      Timed.until(() -> pod(index).filter(pod -> pod.getMetadata().getUid().equals(uid)).isEmpty());
    }
    // The API server logs a request some time after it has answered it.
    Timed.until(
        () -> {
          List<AuditLog.Request> logged = world.asked(begin);
          return IntStream.range(0, count)
              .allMatch(i -> Scale.arrival(logged, "delete", "pods", podName(i)) != null);
        });
    new Scale(world, edited, series, size).addDelays(what, count, begin);
  }

  private String podName(int index) {
    return edited.name(index) + "-0";
  }

  private Optional<Pod> pod(int index) {
    return world.pods().stream()
        .filter(pod -> pod.getMetadata().getName().equals(podName(index)))
        .filter(pod -> pod.getMetadata().getDeletionTimestamp() == null)
        .findFirst();
  }
}
