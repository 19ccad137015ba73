package io.sei.operator.soak;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.api.v1alpha1.DataVolume;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.testkit.RequestLog;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Pods that are all that keeps the data of their nodes, as their claims are being deleted. The
 * operator ends none of them by whatever it may ask the API server for.
 */
final class KeptPods {

  /** Between the operator's last look at a claim and its request; claims tell whole seconds. */
  private static final Duration GLANCE = Duration.ofSeconds(3);

  private static final Duration LOOK_BACK = Duration.ofSeconds(15);

  private static final Pattern POD = Pattern.compile(".*/pods/([^/]+)-0");
  private static final Pattern STATEFUL_SET = Pattern.compile(".*/statefulsets/([^/]+)");

  private final SoakWorld world;
  private final Map<String, Instant> first = new ConcurrentHashMap<>();

  KeptPods(SoakWorld world) {
    this.world = world;
  }

  /** Returns the loss that a request of the operator just caused; empty if none. */
  Optional<String> lost(RequestLog.Request request, JsonNode body) {
    return endsPodOf(request, body)
        .filter(node -> isKept(node, request, body))
        .map(
            node ->
                "%s ends pod %s-0, though its claim is being deleted; before: %s"
                    .formatted(request, node, before(node, request.at())));
  }

  /** Returns the operator's requests about a node shortly before, which show what it knew. */
  private List<String> before(String node, Instant at) {
    return world.door().received().stream()
        .filter(
            request ->
                request.at().isAfter(at.minus(LOOK_BACK))
                    && request.path().matches(".*/(data-)?" + node + "(-0|/status)?"))
        .map(request -> request.at() + " " + request)
        .toList();
  }

  /**
   * Returns the node whose pod the request ends: by deleting it, by deleting its StatefulSet
   * without orphaning, or by scaling to 0.
   */
  private static Optional<String> endsPodOf(RequestLog.Request request, JsonNode body) {
    Matcher pod = POD.matcher(request.path());
    Matcher statefulSet = STATEFUL_SET.matcher(request.path());
    boolean isDeletion = request.method().equals("DELETE");
    if (isDeletion && pod.matches()) {
      return Optional.of(pod.group(1));
    }
    boolean endsPods =
        isDeletion
            ? !body.path("propagationPolicy").asText().equals("Orphan")
            : body.at("/spec/replicas").asInt(1) == 0;
    return endsPods && statefulSet.matches() ? Optional.of(statefulSet.group(1)) : Optional.empty();
  }

  private boolean isKept(String name, RequestLog.Request request, JsonNode body) {
    // A client sends what failed again by itself, without asking whether it is still right.
    Instant asked = first.computeIfAbsent(request + " " + body, key -> request.at());
    PersistentVolumeClaim claim = world.claim(name);
    Pod pod = world.pod(name);
    SeiNode node = world.node(name);
    return claim != null
        && claim.isMarkedForDeletion()
        && isKnown(Instant.parse(claim.getMetadata().getDeletionTimestamp()), request, asked)
        && holds(pod)
        && isMeant(pod, body)
        && isWanted(node, claim);
  }

  /** The pod of a plan is deleted by what a watch has reported, everything else by a live read. */
  private boolean isKnown(Instant deleted, RequestLog.Request request, Instant asked) {
    Instant told = deleted.plus(GLANCE);
    return told.isBefore(asked)
        && !(POD.matcher(request.path()).matches()
            && world.door().wereWatchesSilent(told, asked.minus(GLANCE)));
  }

  /** A claim is not kept by a pod that is terminating, or has yet to be given a machine. */
  private static boolean holds(Pod pod) {
    return pod != null && !pod.isMarkedForDeletion() && pod.getSpec().getNodeName() != null;
  }

  /** A precondition that names an earlier version of the pod, or another one, spares it. */
  private static boolean isMeant(Pod pod, JsonNode body) {
    String version = body.at("/preconditions/resourceVersion").asText();
    return version.isEmpty() || version.equals(pod.getMetadata().getResourceVersion());
  }

  /** The data of a node that is deleted, scaled away included, or was deleted before, goes. */
  private static boolean isWanted(SeiNode node, PersistentVolumeClaim claim) {
    return node != null
        && !node.isMarkedForDeletion()
        && isOf(node, claim)
        && Optional.ofNullable(node.getSpec().dataVolume())
            .map(DataVolume::acceptDataLoss)
            .filter(claim.getMetadata().getUid()::equals)
            .isEmpty();
  }

  private static boolean isOf(HasMetadata node, PersistentVolumeClaim claim) {
    return claim.getMetadata().getOwnerReferences().stream()
        .map(OwnerReference::getUid)
        .allMatch(node.getMetadata().getUid()::equals);
  }
}
