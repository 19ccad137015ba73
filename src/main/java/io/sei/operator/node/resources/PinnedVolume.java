package io.sei.operator.node.resources;

import io.fabric8.kubernetes.api.model.NodeSelectorRequirement;
import io.fabric8.kubernetes.api.model.NodeSelectorTerm;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.VolumeNodeAffinity;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.node.model.NodeReconcile;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says of a volume on a local disk what a drain means, before one. Each volume is read once, when
 * its node runs: where it can be used does not change. Without the right to read it nothing is
 * said.
 */
public final class PinnedVolume {

  private static final Logger log = LoggerFactory.getLogger(PinnedVolume.class);

  private static final NodeConditionType TYPE = NodeConditionType.DATA_VOLUME_PINNED;

  /** Labels that storage drivers tell single Kubernetes nodes by; a zone is none of them. */
  private static final Pattern OF_ONE_NODE = Pattern.compile(".*/(hostname|node|nodename)");

  /** Rights change seldom, and a request that is refused looks like an attack in an audit log. */
  private static final Duration REFUSAL = Duration.ofMinutes(10);

  private record Place(String volume, Optional<String> kubernetesNode) {}

  private final KubeApi api;
  private final Map<ResourceID, Place> places = new ConcurrentHashMap<>();
  private volatile Instant refusedAt = Instant.EPOCH;

  public PinnedVolume(KubeApi api) {
    this.api = api;
  }

  /** Reports the Kubernetes node that the node's volume is tied to; and that it no longer is. */
  void look(NodeReconcile reconcile) {
    ResourceID node = ResourceID.fromResource(reconcile.node());
    Optional<PersistentVolumeClaim> claim = reconcile.snapshot().claim();
    Optional<String> volume = claim.map(it -> it.getSpec().getVolumeName());
    if (volume.isEmpty()) {
      return;
    }
    Place place = places.get(node);
    if (place == null || !place.volume().equals(volume.get())) {
      boolean settled = reconcile.snapshot().isRunning() && reconcile.status().plan() == null;
      place = settled ? read(volume.get(), reconcile.snapshot().now()) : null;
    }
    if (place == null) {
      places.remove(node);
      return;
    }
    places.put(node, place);
    report(reconcile, claim.get().getMetadata().getName(), place.kubernetesNode());
  }

  /** Forgets a node that is gone. */
  void forget(ResourceID node) {
    places.remove(node);
  }

  private static void report(NodeReconcile reconcile, String claim, Optional<String> pinnedTo) {
    if (pinnedTo.isPresent()) {
      reconcile.report(
          TYPE,
          ConditionStatus.TRUE,
          NodeReason.LOCAL_DISK,
          "only Kubernetes node %s can use the volume of claim %s: a drain stops this node until that one is uncordoned, and if its machine is lost, so is the data"
              .formatted(pinnedTo.get(), claim));
    } else if (Conditions.find(reconcile.status().conditions(), TYPE.toString()).isPresent()) {
      reconcile.report(
          TYPE,
          ConditionStatus.FALSE,
          NodeReason.NOT_PINNED,
          "the volume of claim %s is not tied to one Kubernetes node".formatted(claim));
    }
  }

  /** Null if the API server does not say. */
  private Place read(String volume, Instant now) {
    if (now.isBefore(refusedAt.plus(REFUSAL))) {
      return null;
    }
    try {
      return api.get(PersistentVolume.class, volume)
          .map(it -> new Place(volume, onlyNode(it)))
          .orElse(null);
    } catch (KubernetesClientException e) {
      if (e.getCode() == HttpURLConnection.HTTP_FORBIDDEN) {
        refusedAt = now;
      }
      log.info("Cannot read PersistentVolume {}: {}", volume, e.getMessage());
      return null;
    }
  }

  /** The Kubernetes node that alone can use a volume; empty if others may. */
  static Optional<String> onlyNode(PersistentVolume volume) {
    List<NodeSelectorTerm> terms =
        Optional.ofNullable(volume.getSpec().getNodeAffinity())
            .map(VolumeNodeAffinity::getRequired)
            .map(it -> it.getNodeSelectorTerms())
            .orElse(List.of());
    return terms.size() != 1
        ? Optional.empty()
        : terms.get(0).getMatchExpressions().stream()
            .filter(it -> OF_ONE_NODE.matcher(it.getKey()).matches())
            .filter(it -> "In".equals(it.getOperator()) && it.getValues().size() == 1)
            .map(NodeSelectorRequirement::getValues)
            .map(values -> values.get(0))
            .findFirst();
  }
}
