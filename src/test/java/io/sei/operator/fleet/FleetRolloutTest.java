package io.sei.operator.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Event;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.Explanation;
import io.sei.operator.api.v1alpha1.Explanation.Action;
import io.sei.operator.api.v1alpha1.Explanation.ExplainedNode;
import io.sei.operator.api.v1alpha1.FleetConditionType;
import io.sei.operator.api.v1alpha1.FleetPhase;
import io.sei.operator.api.v1alpha1.FleetReason;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.UpdateStrategy.InPlace;
import io.sei.operator.node.NodeVersions;
import io.sei.operator.testkit.RequestLog.Request;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A new template reaches every node, and no more of them are taken down than allowed; what kubectl
 * and Events show of it, and the requests that it costs.
 */
class FleetRolloutTest extends FleetTestCase {

  private static final String HOLD_ROLLOUTS =
      "{'spec':{'updateStrategy':{'type':'InPlace','paused':%s}}}";

  /** One of them has to show it: an answer that is late is written by itself. */
  private static final int ROLLOUTS = 5;

  private static final List<String> COLUMNS =
      List.of("NAME", "READY", "CAUGHT UP", "REASON", "IMAGE", "AGE");

  /** What it would do is told on request, before it does. */
  @Test
  void takesDownEveryNodeOnceAndOneAtATimeFromTheHighestOrdinalAsWasToldAndRests() {
    createReady(3);
    patch(HOLD_ROLLOUTS.formatted(true));
    setImage(B);
    Explanation told = ask("1");
    assertThat(told.nodes()).extracting(ExplainedNode::action).containsOnly(Action.RESTART);
    assertThat(told.nodes()).extracting(ExplainedNode::wave).containsExactly(3, 2, 1);
    assertThat(told.summary()).startsWith("once spec.updateStrategy.paused is cleared: 3 of 3");
    assertThat(told.nodes().get(0).reason()).contains("image " + A + " -> " + B);
    assertNothingIsDone();

    try (var watch = new FleetWatch(client, namespace)) {
      patch(HOLD_ROLLOUTS.formatted(false));
      awaitUpToDate(3, B);

      assertThat(watch.mostUnready()).hasSize(1);
      assertThat(watch.admissions()).containsSubsequence(1L, 2L, 3L);
    }
    for (int ordinal = 0; ordinal < 3; ordinal++) {
      assertThat(podImages(ordinal)).containsExactly(A, B);
    }
    for (int ordinal = 0; ordinal < 2; ordinal++) {
      assertThat(pods(ordinal).get(0).deletionRequestedAt())
          .isAfterOrEqualTo(pods(ordinal + 1).get(1).createdAt());
    }
    assertThat(status().rollout()).isNull();
    assertThat(status().plan()).isNull();
    assertCondition(
        FleetConditionType.ROLLOUT_IN_PROGRESS,
        ConditionStatus.FALSE,
        FleetReason.ROLLOUT_COMPLETE);
    awaitEvents("RolloutComplete", 1);
    assertThat(events(FLEET, "RolloutStarted")).hasSize(1);
    assertThat(ask("2").nodes()).extracting(ExplainedNode::action).containsOnly(Action.NONE);
    annotate("null");
    eventually(() -> assertThat(status().explain()).isNull());
    assertShownByKubectlAndCostsNoWriteAtRest();
  }

  private void assertShownByKubectlAndCostsNoWriteAtRest() {
    assertKubectlShowsWhereItStands();
    assertThat(status().chain().height()).isPositive();
    // The outcome of the last change is written; from here on nothing is left to do.
    operator.restart();
    awaitUpToDate(3, B);
    awaitAnotherLook();
    operator.requests().clear();

    awaitAnotherLook();

    assertThat(operator.requests().matching(Request::isWrite))
        .as("one answer each, by a fleet and three nodes")
        .hasSize(4)
        .allMatch(request -> request.path().endsWith("/status"));

    List<Event> all = fleetEvents();
    assertThat(all).allMatch(event -> event.getCount() == 1);
    assertThat(all).extracting(Event::getMessage).doesNotHaveDuplicates();
    assertThat(all)
        .extracting(Event::getReason)
        .contains("SeiNodeCreated", "RolloutStarted", "RolloutComplete");
  }

  private Explanation ask(String request) {
    annotate("'" + request + "'");
    eventually(
        () ->
            assertThat(status().explain().answers(request, fleet().getMetadata().getGeneration()))
                .isTrue());
    return status().explain();
  }

  private void annotate(String value) {
    patch("{'metadata':{'annotations':{'sei.io/explain':%s}}}".formatted(value));
  }

  /** The answer is one write, and nothing follows from it. */
  private void assertNothingIsDone() {
    Explanation told = status().explain();
    // Events are recorded in the background, those of what came before as well.
    operator.requests().clear();
    int nodes = awaitAnotherLookAtNodes();
    assertThat(status().explain()).isEqualTo(told);
    assertThat(operator.requests().matching(request -> !request.isAside()))
        .as("the answers of the nodes")
        .hasSize(nodes)
        .allMatch(request -> request.path().matches(".*/seinodes/.*/status"));
    awaitEvents("Paused", 1);
    assertThat(fleetEvents()).extracting(Event::getReason).containsOnly("SeiNodeCreated", "Paused");
    assertThat(specImages()).containsOnly(A);
  }

  @Tag("long")
  @Test
  void keepsNodesBelowThePartitionOnExactlyTheOldTemplate() {
    createReady(3, new InPlace(null, 2, null, null, null));
    String before = node(0).getMetadata().getLabels().get("sei.io/revision");

    patch(
        "{'spec':{'template':{'metadata':{'labels':{'team':'new'}},"
            + "'spec':{'image':'%s','resources':{'limits':{'memory':'1Gi'}}}}}}".formatted(B));

    eventually(() -> assertThat(currentImages()).containsExactly(A, A, B));
    awaitEvents("RolloutComplete", 1);
    assertCondition(FleetConditionType.UP_TO_DATE, ConditionStatus.TRUE);
    assertThat(status().updated()).isEqualTo("1/3");

    String uid = node(0).getMetadata().getUid();
    client.resource(node(0)).delete();

    eventually(
        () -> {
          assertThat(node(0).getMetadata().getUid()).isNotEqualTo(uid);
          assertThat(currentImages()).containsExactly(A, A, B);
          assertThat(status().phase()).isEqualTo(FleetPhase.READY);
        });
    assertThat(node(0).getMetadata().getLabels())
        .containsEntry("sei.io/revision", before)
        .doesNotContainKey("team");
    assertThat(node(0).getSpec().resources()).isNull();
    assertThat(podImages(1)).containsExactly(A);

    patch("{'spec':{'updateStrategy':{'inPlace':{'partition':0}}}}");

    awaitUpToDate(3, B);
    assertThat(node(0).getMetadata().getLabels()).containsEntry("team", "new");
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
        .startsWith(FLEET, "3/3", "3/3", "AllNodesReady", B)
        .endsWith("atlantic-2", "full", "3/3", "Ready");
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
