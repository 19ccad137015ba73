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

  /** On a pod and its template: the {@link SpecHash} it was rendered from. */
  public static final String SPEC_HASH = "sei.io/spec-hash";

  /** On a pod and its template: the {@link BodyHash} of the template. */
  public static final String BODY_HASH = "sei.io/body-hash";

  /** On an applied object: digest of its rendering, by which an unchanged one is not written. */
  public static final String RENDERED_HASH = "sei.io/rendered-hash";

  /**
   * On a pod: the revision of an update in place that was withdrawn. A request for it that is under
   * way is refused, since the pod is no longer as it was read.
   */
  public static final String UPDATE_WITHDRAWN = "sei.io/update-withdrawn";

  /** On a pod template, by {@code kubectl rollout restart}: when a restart was asked for. */
  public static final String ROLLOUT_RESTARTED_AT = "kubectl.kubernetes.io/restartedAt";

  /** On a SeiNode, by the user: a new value restarts the pod. */
  public static final String RESTART_REQUESTED_AT = "sei.io/restart-requested-at";

  /**
   * On a SeiNode, by a SeiNodeTask: its id at the sidecar. Requests that the node's fleet sets
   * {@link #SEID_RESTART} to it, and removes this annotation.
   */
  public static final String SEID_RESTART_REQUESTED = "sei.io/seid-restart-requested";

  /**
   * On a SeiNode, by its fleet or, without one, by a SeiNodeTask: a new value ends the run of seid
   * that is under way then, once.
   */
  public static final String SEID_RESTART = "sei.io/seid-restart";

  /**
   * On a validator, by the user: {@code true} lets tasks of the kind UpdateNodeImage set its image.
   */
  public static final String TASKS_MAY_SET_IMAGE = "sei.io/tasks-may-set-image";

  /** On a SeiNode, by the user: a new value tries a failed plan again. */
  public static final String RETRY = "sei.io/retry";

  /** On a SeiNode or a deployment, by the user: a new value asks what would restart, and why. */
  public static final String EXPLAIN = "sei.io/explain";

  /**
   * On a claim: uid of the SeiNode it belongs to. It says whose a retained claim was, which has no
   * ownerReference that could.
   */
  public static final String CLAIM_OWNER_UID = "sei.io/claim-owner-uid";

  /**
   * On a claim: what happens to it when its node is deleted and the spec does not decide, {@code
   * Delete} or {@code Retain}. It is written once, when the operator creates the claim.
   */
  public static final String ON_DELETE = "sei.io/on-delete";

  /** On a claim: since when it is the one that its {@link Labels#SIGNING_KEY} signs on. */
  public static final String SIGNS_SINCE = "sei.io/signs-since";

  /** On a claim: that what its {@link Labels#SIGNING_KEY} has signed is with a remote signer. */
  public static final String SIGNS_REMOTELY = "sei.io/signs-remotely";

  /**
   * On a claim: the upgrades that its data has been through, as JSON. It outlives the node and the
   * entries of its spec.
   */
  public static final String APPLIED_UPGRADES = "sei.io/applied-upgrades";

  /**
   * On a claim: the VolumeSnapshot that it was made from, as JSON. It is written with the claim, so
   * that nothing is chosen twice.
   */
  public static final String RESTORED_FROM = "sei.io/restored-from";

  /** On a bootstrap Job and its pod: the run it was made for, which is the id of a plan's task. */
  public static final String BOOTSTRAP_RUN = "sei.io/bootstrap-run";

  /**
   * On what another operator made for a fleet: the fleet's owner reference was taken off because of
   * {@code deletionPolicy: Retain}. Only such an object gets it back when the policy is changed.
   */
  public static final String RETAINED = "sei.io/retained";

  /** On a VolumeSnapshot: the image that seid ran with. */
  public static final String IMAGE = "sei.io/image";

  /**
   * On a VolumeSnapshot: the reason and the line of the node that was made from it and died of its
   * data. No node is made from it as long as it is there.
   */
  public static final String BAD_DATA = "sei.io/bad-data";

  /**
   * On a SeiNode, by its fleet: until when its pod is stopped for a snapshot; RFC 3339. The node
   * starts again by itself then.
   */
  public static final String STOPPED_UNTIL = "sei.io/stopped-until";

  /** On a SeiNode, by its fleet: the VolumeSnapshot that it is stopped for. */
  public static final String STOPPED_FOR = "sei.io/stopped-for";

  /** On a fleet's Service: who keeps it as it is. */
  static final String MANAGED_BY = "sei.io/managed-by";

  /** Keeps Karpenter from moving a pod: replacing it is this operator's decision. */
  public static final String DO_NOT_DISRUPT = "karpenter.sh/do-not-disrupt";

  /** On a pod, for kubectl: the container that is meant where none is named. */
  static final String DEFAULT_CONTAINER = "kubectl.kubernetes.io/default-container";

  /** On a pod, for the webhook of EKS: the containers that get no token of AWS. */
  private static final String SKIPPED_BY_EKS = "eks.amazonaws.com/skip-containers";

  /** On a pod, for the webhook of Azure Workload Identity: the containers that get no token. */
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

  /** Whether an annotation has this value. */
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

  /** Whether a node is still to end the run of seid that it was asked to end. */
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
