package io.sei.operator.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Event;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.node.NodeVersions;
import io.sei.operator.testkit.RequestLog.Request;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A fleet in kubectl and in its Events, and the requests that it costs. */
class FleetReportingTest extends FleetTestCase {

  /** One of them has to show it: an answer that is late is written by itself. */
  private static final int ROLLOUTS = 5;

  private static final List<String> COLUMNS =
      List.of("NAME", "READY", "CAUGHT UP", "REASON", "IMAGE", "AGE");

  @Test
  void fleetAtRestIsShownByKubectlAndCostsNoWriteAndRepeatsNoEvent() {
    createReady(2);
    setImage(B);
    awaitUpToDate(2, B);
    awaitEvents("RolloutComplete", 1);
    assertKubectlShowsWhereItStands();
    assertThat(status().chain().height()).isPositive();
    // The outcome of the last change is written; from here on nothing is left to do.
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

  /**
   * How often a status is written depends on how busy a machine is; what comes together does not.
   */
  @Tag("long")
  @Test
  void rolloutPatchesEachServiceOnceAndTheWriteOfReadyRecordsThatTheNodeCaughtUp() {
    createReady(2);
    boolean isTogether = false;
    for (int i = 0; i < ROLLOUTS && !isTogether; i++) {
      String image = "sei:r" + i;
      operator.requests().clear();
      try (var versions = new NodeVersions(client, namespace)) {
        setImage(image);
        awaitUpToDate(2, image);
        isTogether = versions.seen(status -> hasCaughtUp(status, image)).equals(List.of(true));
      }
      assertThat(servicePatches(0)).isEqualTo(1);
      assertThat(servicePatches(1)).isEqualTo(1);
    }

    assertThat(isTogether).isTrue();
  }

  /** Null as long as the node is not Ready with an image. */
  private static Boolean hasCaughtUp(SeiNodeStatus status, String image) {
    boolean isReady =
        image.equals(status.currentImage())
            && Conditions.isTrue(status.conditions(), NodeConditionType.READY);
    return isReady ? status.seid().caughtUpAt() != null : null;
  }

  private void assertKubectlShowsWhereItStands() {
    assertColumns("snd", "CHAIN", "MODE", "UPTODATE", "PHASE");
    assertThat(row(1, "get", "snd", "-o", "wide"))
        .startsWith(FLEET, "2/2", "2/2", "AllNodesReady", B)
        .endsWith("atlantic-2", "full", "2/2", "Ready");
    assertColumns("snode", "CHAIN", "MODE", "UPTODATE", "PHASE", "STATEFULSET");
    assertThat(row(2, "get", "snode", "-o", "wide"))
        .startsWith("fleet-1", "True", "True", "PodReady", B)
        .endsWith("atlantic-2", "full", "True", "Running", "fleet-1");
    for (String type : List.of("UpToDate", "Ready")) {
      lines("wait", "--for=condition=" + type, "snd/" + FLEET, "--timeout=30s");
    }
  }

  private void assertColumns(String kind, String... wide) {
    assertThat(row(0, "get", kind)).isEqualTo(COLUMNS);
    assertThat(row(0, "get", kind, "-o", "wide"))
        .isEqualTo(Stream.concat(COLUMNS.stream(), Stream.of(wide)).toList());
  }

  /** Two spaces at least are between two columns, one may be in the name of a column. */
  private List<String> row(int number, String... arguments) {
    return List.of(lines(arguments).get(number).trim().split(" {2,}"));
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

  private int servicePatches(int ordinal) {
    String service = "/services/%s-%d".formatted(FLEET, ordinal);
    return operator
        .requests()
        .matching(request -> request.method().equals("PATCH") && request.path().contains(service))
        .size();
  }
}
