package io.sei.operator.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Event;
import io.sei.operator.testkit.RequestLog.Request;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a fleet looks like from outside: kubectl, metrics, events, and the load it is. */
class FleetReportingTest extends FleetTestCase {

  /** The plan, perhaps the new pod, its images, and seid Ready. */
  private static final int STATUS_WRITES = 3;

  private static final int ROLLOUTS = 5;

  @Test
  void kubectlShowsWhereAFleetStands() {
    createReady(2);

    assertThat(header("get", "snd"))
        .containsExactly(
            "NAME", "READY", "REPLICAS", "PHASE", "PAUSED", "UPDATED", "REASON", "AGE");
    assertThat(header("get", "snd", "-o", "wide"))
        .containsExactly(
            "NAME", "READY", "REPLICAS", "PHASE", "PAUSED", "UPDATED", "REASON", "AGE", "TARGET");
    assertThat(lines("get", "snd").get(1).split("\\s+"))
        .startsWith(FLEET, "2", "2", "Ready", "False", "2/2", "AllNodesReady");
    assertThat(header("get", "snode"))
        .containsExactly("NAME", "PHASE", "READY", "UPTODATE", "IMAGE", "REASON", "AGE");
    assertThat(header("get", "snode", "-o", "wide")).endsWith("AGE", "STATEFULSET");
    assertThat(lines("get", "snode").get(2).split("\\s+"))
        .startsWith("fleet-1", "Running", "True", "True", A, "PodReady");
    for (String type : List.of("UpToDate", "Ready")) {
      lines("wait", "--for=condition=" + type, "snd/" + FLEET, "--timeout=30s");
    }
  }

  private List<String> header(String... arguments) {
    return List.of(lines(arguments).get(0).split("\\s+"));
  }

  private List<String> lines(String... arguments) {
    String[] all = new String[arguments.length + 2];
    System.arraycopy(arguments, 0, all, 0, arguments.length);
    all[arguments.length] = "-n";
    all[arguments.length + 1] = namespace;
    var result = controlPlane.kubectl(all);
    assertThat(result.exitCode()).as(result.stderr()).isZero();
    return result.stdout().lines().toList();
  }

  @Test
  void aFleetAtRestCostsNoWriteAndNoEventIsRepeated() {
    createReady(2);
    setImage(B);
    awaitUpToDate(2, B);
    awaitEvents("RolloutComplete", 1);
    // What came of the last change is written; from here on nothing is left to do.
    operator.restart();
    awaitUpToDate(2, B);
    awaitAnotherLook();
    operator.requests().clear();

    awaitAnotherLook();

    assertThat(operator.requests().matching(Request::isWrite))
        .as("one answer each, by a fleet and two nodes")
        .hasSize(3)
        .allMatch(request -> request.path().endsWith("/status"));

    List<Event> all = fleetEvents();
    assertThat(all).allMatch(event -> event.getCount() == 1);
    assertThat(all).extracting(Event::getMessage).doesNotHaveDuplicates();
    assertThat(all)
        .extracting(Event::getReason)
        .contains("SeiNodeCreated", "RolloutStarted", "RolloutComplete");
  }

  /** That a node has caught up is written together with that it is Ready. */
  @Test
  void aRolloutPatchesEachServiceOnceAndWritesAStatusNoMoreOftenThanThatOfOthers() {
    createReady(2);
    var writes = new ArrayList<Integer>();
    for (int i = 0; i < ROLLOUTS && writes.stream().noneMatch(it -> it <= STATUS_WRITES); i++) {
      operator.requests().clear();
      setImage("sei:r" + i);
      awaitUpToDate(2, "sei:r" + i);
      writes.add(statusWrites(0));
      assertThat(servicePatches(0)).isEqualTo(1);
      assertThat(servicePatches(1)).isEqualTo(1);
    }

    assertThat(writes).as("of fleet-0, in each rollout").anyMatch(it -> it <= STATUS_WRITES);
    assertThat(node(0).getStatus().seid().caughtUpAt()).isNotNull();
  }

  private int servicePatches(int ordinal) {
    String service = "/services/%s-%d".formatted(FLEET, ordinal);
    return operator
        .requests()
        .matching(request -> request.method().equals("PATCH") && request.path().contains(service))
        .size();
  }

  private int statusWrites(int ordinal) {
    String path = "/seinodes/%s-%d/status".formatted(FLEET, ordinal);
    return operator
        .requests()
        .matching(request -> request.isWrite() && request.path().endsWith(path))
        .size();
  }
}
