package io.sei.operator.render;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Annotations the operator writes and those a user speaks to it with. */
public final class Annotations {

  /** On a pod and its template: the {@link SpecHash} from which it was rendered. */
  public static final String SPEC_HASH = "sei.io/spec-hash";

  /** On a pod and its template: the {@link BodyHash} of the template. */
  public static final String BODY_HASH = "sei.io/body-hash";

  /** On an applied object: digest of its rendering, so that an unchanged one is not written. */
  public static final String RENDERED_HASH = "sei.io/rendered-hash";

  /**
   * On a pod: revision of an update in place that was withdrawn. A request for it that is under way
   * is refused, since the pod is no longer as it was read.
   */
  public static final String UPDATE_WITHDRAWN = "sei.io/update-withdrawn";

  /** On a pod template, set by {@code kubectl rollout restart}: time of the request. */
  public static final String ROLLOUT_RESTARTED_AT = "kubectl.kubernetes.io/restartedAt";

  /** On a SeiNode, set by the user: a new value restarts the pod. */
  public static final String RESTART_REQUESTED_AT = "sei.io/restart-requested-at";

  /**
   * On a SeiNode, set by a SeiNodeTask: its id at the sidecar. Requests that the node's fleet sets
   * {@link #SEID_RESTART} to it, and removes this annotation.
   */
  public static final String SEID_RESTART_REQUESTED = "sei.io/seid-restart-requested";

  /**
   * On a SeiNode, set by its fleet or, without one, by a SeiNodeTask: a new value ends the present
   * run of seid, once.
   */
  public static final String SEID_RESTART = "sei.io/seid-restart";

  /**
   * On a validator, set by the user: {@code true} lets tasks of the kind UpdateNodeImage set its
   * image.
   */
  public static final String TASKS_MAY_SET_IMAGE = "sei.io/tasks-may-set-image";

  /** On a SeiNode, set by the user: a new value retries a failed plan. */
  public static final String RETRY = "sei.io/retry";

  /** On a SeiNode or a deployment, set by the user: a new value requests a forecast of restarts. */
  public static final String EXPLAIN = "sei.io/explain";

  /**
   * On a claim: uid of the SeiNode to which it belongs. It says whose a retained claim was, which
   * has no ownerReference that could.
   */
  public static final String CLAIM_OWNER_UID = "sei.io/claim-owner-uid";

  /**
   * On a claim: fate when its node is deleted and the spec does not decide, {@code Delete} or
   * {@code Retain}. It is written once, when the operator creates the claim.
   */
  public static final String ON_DELETE = "sei.io/on-delete";

  /** On a claim: time at which the operator last changed its requested size; RFC 3339. */
  public static final String RESIZED_AT = "sei.io/resized-at";

  /** On a claim: time since which its {@link Labels#SIGNING_KEY} signs on it. */
  public static final String SIGNS_SINCE = "sei.io/signs-since";

  /** On a claim: a remote signer keeps the signatures of its {@link Labels#SIGNING_KEY}. */
  public static final String SIGNS_REMOTELY = "sei.io/signs-remotely";

  /**
   * On a claim: upgrades that were applied to its data, as JSON. It outlives the node and the
   * entries of its spec.
   */
  public static final String APPLIED_UPGRADES = "sei.io/applied-upgrades";

  /**
   * On a claim: VolumeSnapshot from which it was made, as JSON. It is written with the claim, so
   * that nothing is chosen twice.
   */
  public static final String RESTORED_FROM = "sei.io/restored-from";

  /** On a bootstrap Job and its pod: run for which it was made, the id of a plan's task. */
  public static final String BOOTSTRAP_RUN = "sei.io/bootstrap-run";

  /**
   * On an object that another operator made for a fleet: the fleet's owner reference was removed
   * because of {@code deletionPolicy: Retain}. Only such an object gets it back when the policy is
   * changed.
   */
  public static final String RETAINED = "sei.io/retained";

  /** On a VolumeSnapshot: image of seid when it was taken. */
  public static final String IMAGE = "sei.io/image";

  /**
   * On a VolumeSnapshot: reason and log line of the node that was made from it and died of its
   * data. No node is made from it as long as it is there.
   */
  public static final String BAD_DATA = "sei.io/bad-data";

  /**
   * On a SeiNode, set by its fleet: time until which its pod is stopped for a snapshot; RFC 3339.
   * The node starts again by itself then.
   */
  public static final String STOPPED_UNTIL = "sei.io/stopped-until";

  /** On a SeiNode, set by its fleet: VolumeSnapshot for which it is stopped. */
  public static final String STOPPED_FOR = "sei.io/stopped-for";

  /** On a fleet's Service: controller that keeps it as it is. */
  static final String MANAGED_BY = "sei.io/managed-by";

  /** Keeps Karpenter from moving a pod: replacing it is this operator's decision. */
  public static final String DO_NOT_DISRUPT = "karpenter.sh/do-not-disrupt";

  /** On a pod, for kubectl: container that is used where none is named. */
  static final String DEFAULT_CONTAINER = "kubectl.kubernetes.io/default-container";

  /** On a pod, for the webhook of EKS: containers that get no AWS token. */
  private static final String SKIPPED_BY_EKS = "eks.amazonaws.com/skip-containers";

  /** On a pod, for the webhook of Azure Workload Identity: containers that get no token. */
  private static final String SKIPPED_BY_AZURE = "azure.workload.identity/skip-containers";

  private Annotations() {}

  /** Annotations by which webhooks mount no cloud token in these containers of a pod. */
  public static Map<String, String> withoutCloudTokens(List<String> containers) {
    // Sorted, since the order of Map.of differs from one process to the next.
    return new TreeMap<>(
        Map.of(
            SKIPPED_BY_EKS, String.join(",", containers),
            SKIPPED_BY_AZURE, String.join(";", containers)));
  }

  /** The value of an annotation. */
  public static Optional<String> of(HasMetadata object, String key) {
    return Optional.ofNullable(object.getMetadata().getAnnotations())
        .map(annotations -> annotations.get(key));
  }

  /** Returns whether an annotation has this value. */
  public static boolean has(HasMetadata object, String key, String value) {
    return of(object, key).filter(value::equals).isPresent();
  }

  /** The value of {@link #RESTART_REQUESTED_AT} on a node or a deployment, if it says anything. */
  public static Optional<String> restartRequestedAt(HasMetadata resource) {
    return of(resource, RESTART_REQUESTED_AT).filter(value -> !value.isBlank());
  }

  /** Annotations of a SeiNode that restart seid for a task, and withdraw its request. */
  public static Map<String, String> restartOfSeid(String task) {
    var annotations = new HashMap<String, String>();
    annotations.put(SEID_RESTART, task);
    annotations.put(SEID_RESTART_REQUESTED, null);
    return annotations;
  }

  /** The value of {@link #SEID_RESTART} that a node has yet to act on. */
  public static Optional<String> newRestartOfSeid(SeiNode node, SeiNodeStatus status) {
    return of(node, SEID_RESTART)
        .filter(value -> !value.isBlank() && !value.equals(status.seidRestart()));
  }

  /** Returns whether a node is still to end the run of seid that it was asked to end. */
  public static boolean awaitsRestartOfSeid(SeiNode node) {
    SeiNodeStatus status = node.getStatus() == null ? SeiNodeStatus.empty() : node.getStatus();
    return newRestartOfSeid(node, status).isPresent()
        || (status.unreadConfig() != null && status.unreadConfig().request() != null);
  }

  /** The value of {@link #EXPLAIN} on a node or a deployment; an empty one asks as well. */
  public static Optional<String> explainRequest(HasMetadata resource) {
    return of(resource, EXPLAIN);
  }
}
