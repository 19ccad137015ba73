package io.sei.operator.testkit.samples;

import static io.sei.operator.testkit.samples.NodeSample.LONG_AGO;
import static io.sei.operator.testkit.samples.NodeSample.NOW;

import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.fleet.feature.FleetNode;
import io.sei.operator.fleet.feature.FleetNodeBuilder;
import java.time.Instant;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/**
 * A node as rules for a fleet see it. Immutable: each method returns a changed copy. Tables name
 * the methods as words: {@link #fleetNodes}.
 */
public final class FleetNodeSample {

  /** The hash of the template that the fleet had. */
  public static final String OLD = "v1-old";

  /** The hash of the template that the fleet rolls out. */
  public static final String NEW = "v1-new";

  private final FleetNode node;

  private FleetNodeSample(FleetNode node) {
    this.node = node;
  }

  /** A node that runs the old template and has been Ready for an hour. */
  public static FleetNodeSample aFleetNode(int ordinal) {
    return new FleetNodeSample(
        FleetNodeBuilder.builder()
            .name("fleet-" + ordinal)
            .ordinal(ordinal)
            .phase(NodePhase.RUNNING)
            .image("sei:a")
            .templateHash(OLD)
            .runningHash(OLD)
            .readySince(LONG_AGO)
            .readyReason("PodReady")
            .mayRun(true)
            .upToDate(true)
            .byHand(List.of())
            .build());
  }

  public static FleetNodeSample aFleetNode(FleetNode node) {
    return new FleetNodeSample(node);
  }

  /** Nodes by ordinal in words, as {@code "old, paused old, ready:29 done"}. */
  public static List<FleetNode> fleetNodes(String words) {
    String[] nodes = words.split(",\\s*");
    return IntStream.range(0, nodes.length)
        .mapToObj(ordinal -> aFleetNode(ordinal).words(nodes[ordinal]).build())
        .toList();
  }

  /** Applies the words from the last to the first, as an adjective follows its noun. */
  private FleetNodeSample words(String words) {
    return List.of(words.split(" ")).reversed().stream()
        .reduce(this, FleetNodeSample::word, (before, after) -> after);
  }

  private FleetNodeSample word(String word) {
    String[] parts = word.split(":");
    return switch (parts[0]) {
      case "old" -> this;
      case "earlier" -> given("v1-earlier");
      case "rolling" -> rolling();
      case "starting" -> starting();
      case "done" -> done();
      case "behind" -> behind();
      case "down" -> down();
      case "neverReady" -> neverReady();
      case "ready" -> readySince(NOW.minusSeconds(Long.parseLong(parts[1])));
      case "readyAhead" -> readySince(Instant.MAX);
      case "block" -> caughtUpAt(NOW.minusSeconds(Long.parseLong(parts[1])));
      case "crashed" -> crashed(LONG_AGO);
      case "stalled" -> stalled(parts[1]);
      case "paused" -> paused();
      case "held" -> held();
      case "terminating" -> terminating();
      case "switching" -> switching();
      case "snapshotting" -> snapshotting();
      case "atRisk" -> atRisk();
      case "unreadable" -> unreadable();
      default -> throw new IllegalArgumentException(word);
    };
  }

  /** The hash of the template that its spec has. */
  public FleetNodeSample given(String hash) {
    return with(node -> node.withTemplateHash(hash));
  }

  /** The hash of the template that its pod has. */
  public FleetNodeSample runs(String hash) {
    return with(node -> node.withRunningHash(hash));
  }

  /** Has the new template, while its pod is of the old one. */
  public FleetNodeSample rolling() {
    return given(NEW);
  }

  /** Runs the new template and is not Ready yet. */
  public FleetNodeSample starting() {
    return given(NEW).runs(NEW).behind();
  }

  /** Runs the new template and is Ready. */
  public FleetNodeSample done() {
    return given(NEW).runs(NEW);
  }

  /** Was Ready until a moment ago, and its seid runs. */
  public FleetNodeSample behind() {
    return with(node -> node.with(draft -> draft.readySince(null).readyReason("PodNotReady")));
  }

  /** Was Ready, and its seid does not run. */
  public FleetNodeSample down() {
    return behind().with(node -> node.withMayRun(false));
  }

  public FleetNodeSample neverReady() {
    return behind().with(node -> node.withNeverReady(true));
  }

  public FleetNodeSample readySince(Instant since) {
    return with(node -> node.withReadySince(since));
  }

  public FleetNodeSample caughtUpAt(Instant at) {
    return with(node -> node.withCaughtUpAt(at));
  }

  /** Its seid crashed then, after it had been Ready. */
  public FleetNodeSample crashed(Instant at) {
    return with(
        node ->
            node.with(
                draft ->
                    draft
                        .crashedAt(at)
                        .crash("seid crashed after it was Ready")
                        .crashReason("CrashLoop")));
  }

  /** Has been stalled for an hour. */
  public FleetNodeSample stalled(String reason) {
    return with(
        node ->
            node.with(
                draft ->
                    draft
                        .readySince(null)
                        .stall(reason)
                        .stallMessage("the evidence")
                        .stalledSince(LONG_AGO)));
  }

  public FleetNodeSample paused() {
    return with(node -> node.with(draft -> draft.readySince(null).pausedOrHeld(true)));
  }

  /** Is held, and its seid has ended. */
  public FleetNodeSample held() {
    return paused()
        .with(node -> node.with(draft -> draft.held(true).readyReason("Held").mayRun(false)));
  }

  public FleetNodeSample terminating() {
    return with(node -> node.withTerminating(true));
  }

  public FleetNodeSample switching() {
    return with(node -> node.withSwitching(true));
  }

  public FleetNodeSample snapshotting() {
    return with(node -> node.withSnapshotting(true));
  }

  public FleetNodeSample atRisk() {
    return with(node -> node.withAtRisk(true));
  }

  public FleetNodeSample unreadable() {
    return with(node -> node.with(draft -> draft.unreadable(true).readySince(null)));
  }

  /** Another change, for what has no method here. */
  public FleetNodeSample with(UnaryOperator<FleetNode> change) {
    return new FleetNodeSample(change.apply(node));
  }

  public FleetNode build() {
    return node;
  }
}
