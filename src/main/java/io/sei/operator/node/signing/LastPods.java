package io.sei.operator.node.signing;

import static io.sei.operator.kube.ApiErrors.isForbidden;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeCondition;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.api.v1alpha1.SeiSigningKeySpec;
import io.sei.operator.api.v1alpha1.SeiSigningKeySpec.Holder;
import io.sei.operator.base.PerObjectMap;
import io.sei.operator.base.PerObjectState;
import io.sei.operator.base.Times;
import io.sei.operator.diagnosis.NodeFacts;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.node.signing.KeyEvidence.Machine;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Judges whether containers of the last pod with a signing key may live on once that pod is gone. A
 * kubelet that reported their end is the proof. Without it, as after a forced deletion, the machine
 * has to be gone or out of service, or to report for as long as its kubelet needs to end them.
 */
final class LastPods {

  private static final String OUT_OF_SERVICE = "node.kubernetes.io/out-of-service";

  /** Time for which a machine may be cut off before its Node says so: 50 s by default. */
  private static final Duration UNNOTICED = Duration.ofMinutes(1);

  /** Time in which a kubelet that is back begins to end the pods that no longer exist. */
  private static final Duration CLEANUP = Duration.ofSeconds(10);

  private final KubeApi api;
  private final Predicate<String> isEndReported;
  private final PerObjectMap<ResourceID, Gone> gone;

  /** When a node was first found to follow a pod. */
  private record Gone(String podUid, Instant since) {}

  /**
   * @param isEndReported whether the kubelet reported the end of a pod, by its uid, before it went
   */
  LastPods(KubeApi api, Predicate<String> isEndReported, PerObjectState<ResourceID> memory) {
    this.api = api;
    this.isEndReported = isEndReported;
    this.gone = memory.newMap();
  }

  /** Returns whether the kubelet reported the end of the holder's last pod. */
  boolean isEndReported(Holder holder) {
    return holder.podUid() != null && isEndReported.test(holder.podUid());
  }

  /** Judges the last pod of a record, which is gone, for a node that would sign after it. */
  Machine machine(Signer self, Holder holder) {
    if (holder.podUid() == null || holder.machine() == null || isEndReported(holder)) {
      return Machine.ENDED;
    }
    try {
      return api.get(Node.class, holder.machine())
          .map(node -> machine(self, holder, node))
          .orElse(Machine.ENDED);
    } catch (KubernetesClientException e) {
      if (isForbidden(e)) {
        return Machine.UNREADABLE;
      }
      throw e;
    }
  }

  /**
   * Judges the last pod of a record for the next pod of its node, which runs. On the same machine
   * and volume seid does not start before the last one has closed its databases.
   */
  Machine machine(Signer self, SeiSigningKeySpec record, String machineOfNext) {
    Machine found = machine(self, record.holder());
    boolean isSameVolume =
        record.claim() != null
            && (record.claim().isRemote() || record.claim().isSameData(self.claim().orElse(null)));
    boolean isSameMachine = machineOfNext.equals(record.holder().machine());
    return found != Machine.SILENT && self.holds(record) && isSameVolume && isSameMachine
        ? Machine.ENDED
        : found;
  }

  private Machine machine(Signer self, Holder holder, Node node) {
    boolean isOutOfService =
        node.getSpec() != null
            && node.getSpec().getTaints().stream()
                .anyMatch(taint -> OUT_OF_SERVICE.equals(taint.getKey()));
    if (isOutOfService) {
      return Machine.ENDED;
    }
    if (NodeFacts.of(holder.machine(), node).isLost()) {
      return Machine.SILENT;
    }
    Instant heard = goneSince(self, holder).plus(UNNOTICED);
    Instant back = readySince(node).orElse(self.now()).plus(CLEANUP);
    Instant ended = (heard.isAfter(back) ? heard : back).plus(self.grace());
    return self.now().isBefore(ended) ? Machine.ENDING : Machine.ENDED;
  }

  private Instant goneSince(Signer self, Holder holder) {
    var node = new ResourceID(self.node(), self.namespace());
    Gone known = gone.get(node).orElse(null);
    if (known == null || !known.podUid().equals(holder.podUid())) {
      known = new Gone(holder.podUid(), self.now());
      gone.put(node, known);
    }
    Instant released = holder.releasedAt();
    return released != null && released.isBefore(known.since()) ? released : known.since();
  }

  private static Optional<Instant> readySince(Node node) {
    return node.getStatus().getConditions().stream()
        .filter(condition -> "Ready".equals(condition.getType()))
        .map(NodeCondition::getLastTransitionTime)
        .flatMap(time -> Times.parse(time).stream())
        .findFirst();
  }
}
