package io.sei.operator.docs;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.apps.ControllerRevision;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.sei.operator.api.v1alpha1.PeerSource;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.config.OperatorConfig;
import io.sei.operator.node.OfflineNode;
import io.sei.operator.render.ClaimRenderer;
import io.sei.operator.render.Labels;
import io.sei.operator.render.StatefulSetRenderer;
import io.sei.operator.testkit.KubeletSimulator;
import io.sei.operator.testkit.PodFault;
import io.sei.operator.testkit.StatusCorpus;
import io.sei.operator.testkit.samples.Samples;
import io.sei.operator.testkit.samples.SeidDeaths;
import java.time.Duration;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * A node, or a fleet, in the state that a runbook is for: its status is of the corpus, its pod is
 * played by the simulated kubelet with the fault of that state, and no operator acts on it.
 *
 * @param page the name of the runbook, which is a {@link StallReason} or an alert
 * @param name of the node, and of the fleet
 */
record RunbookState(KubernetesClient client, String namespace, String page, String name) {

  /** Stall reasons of fleets alone. */
  private static final Set<StallReason> OF_FLEETS =
      EnumSet.of(StallReason.CEREMONY_FAILED, StallReason.ROLLED_BACK);

  /** Reasons for which a node has no pod, or not yet. */
  private static final Set<StallReason> WITHOUT_POD =
      EnumSet.of(
          StallReason.INVALID_SPEC,
          StallReason.CEREMONY_FAILED,
          StallReason.GENESIS_MISSING,
          StallReason.WITNESSES_MISSING,
          StallReason.KEY_SECRET_MISSING,
          StallReason.KEY_SECRET_INVALID,
          StallReason.SIGNING_KEY_MISSING,
          StallReason.SIGNING_KEY_INVALID,
          StallReason.SIGNING_KEY_IN_USE,
          StallReason.SIGNING_STATE_UNKNOWN,
          StallReason.QUOTA_EXCEEDED,
          StallReason.STATEFUL_SET_CONFLICT);

  /** Reasons for which the pod is on a machine whose kubelet does not answer. */
  private static final Set<StallReason> UNREACHABLE =
      EnumSet.of(StallReason.NODE_LOST, StallReason.POD_TERMINATING);

  private static final String NEXT = "ghcr.io/sei-protocol/sei:v6.6.2";

  private static final List<PeerSource> PEERS =
      List.of(
          new PeerSource(
              null,
              new PeerSource.StaticPeers(
                  List.of("86f7e437faa5a7fce15d1ddcb9eaeaea377667b8@h1:26656")),
              null));

  /** Recorded nodes, a megabyte of them. */
  private static final List<StatusCorpus.Stored<SeiNode>> NODES = StatusCorpus.nodes();

  private static final PodFault NEVER_STARTS = new PodFault.SlowStart(Duration.ofHours(1));

  static RunbookState of(KubernetesClient client, String namespace, String page) {
    return new RunbookState(client, namespace, page, page.toLowerCase(Locale.ROOT));
  }

  String fleet() {
    return name + "-fleet";
  }

  boolean isOfStalledNode() {
    return reason().isPresent() && !OF_FLEETS.contains(reason().get());
  }

  boolean isMachineReachable() {
    return reason().filter(UNREACHABLE::contains).isEmpty();
  }

  boolean hasPod() {
    return reason().filter(WITHOUT_POD::contains).isEmpty();
  }

  private Optional<StallReason> reason() {
    return Stream.of(StallReason.values())
        .filter(reason -> reason.toString().equals(page))
        .findFirst();
  }

  /** The fault that the kubelet plays on the pod; empty if it runs, or if there is none. */
  private Optional<PodFault> fault() {
    if (reason().isEmpty() || !hasPod()) {
      return Optional.empty();
    }
    return switch (reason().get()) {
      case MOUNT_SOURCE_MISSING, POD_NOT_STARTED, POD_FAILED -> Optional.of(NEVER_STARTS);
      case IMAGE_PULL, REGISTRY_UNREACHABLE -> Optional.of(PodFault.IMAGE_PULL);
      case UNSCHEDULABLE, VOLUME_PENDING -> Optional.of(PodFault.UNSCHEDULABLE);
      case CRASH_LOOP,
          HALTED_AT_UPGRADE,
          HALTED_BY_CONFIGURATION,
          IMAGE_TOO_EARLY,
          WAITING_OUT_OWN_SIGNATURES ->
          Optional.of(PodFault.CRASH_LOOP);
      case APPLY_REFUSED,
          HEIGHT_STANDS_STILL,
          NODE_LOST,
          POD_RESIZE_PENDING,
          POD_TERMINATING,
          ROLLED_BACK,
          SEID_NOT_RESPONDING,
          SIDECAR_FORBIDDEN,
          SIDECAR_NOT_ASKED,
          SIDECAR_TASK_FAILED,
          SIDECAR_UNREACHABLE,
          SIDECAR_UNSUPPORTED,
          START_DEADLINE_EXCEEDED,
          UNKNOWN ->
          Optional.empty();
      default -> Optional.of(deathFor(reason().get()));
    };
  }

  private static PodFault deathFor(StallReason reason) {
    return SeidDeaths.causes()
        .filter(death -> death.reason() == reason)
        .findFirst()
        .map(SeidDeaths.Death::fault)
        .orElseThrow(() -> new IllegalStateException("no state of a pod for " + reason));
  }

  /** Creates the objects. */
  void create(KubeletSimulator kubelet) {
    StatusCorpus.Stored<SeiNode> stored = storedNode();
    SeiNode node = client.resource(Samples.node(namespace, name, specOf(stored))).create();
    OperatorConfig config =
        OperatorConfig.fromEnvironment(
            page.startsWith("Exporter")
                ? Map.of("SEI_COSMOS_EXPORTER_IMAGE", "exporter:v1")
                : Map.of());
    StatefulSet statefulSet = new StatefulSetRenderer(config, OfflineNode.FEATURES).render(node);
    createClaim(config, node);
    fault().ifPresent(fault -> kubelet.inject(namespace, podName(), fault));
    if (hasPod()) {
      client.resource(podOf(statefulSet)).create();
    }
    // Its controller makes no pod of its own.
    statefulSet.getSpec().setReplicas(0);
    client.resource(statefulSet).create();
    writeStatus(node, conditioned(stored.status()));
  }

  /** The recorded spec; its peers may be of an earlier form, and what crashes is a new image. */
  private SeiNodeSpec specOf(StatusCorpus.Stored<SeiNode> stored) {
    SeiNodeSpec spec = stored.resource().getSpec();
    SeiNodeSpec current = spec.peers() == null ? spec : spec.withPeers(PEERS);
    return fault().isPresent() ? current.withImage(NEXT) : current;
  }

  private void createClaim(OperatorConfig config, SeiNode node) {
    new ClaimRenderer(config)
        .render(node)
        .ifPresent(
            claim -> {
              claim.getMetadata().setFinalizers(List.of());
              client.resource(claim).create();
            });
  }

  private String podName() {
    return name + "-0";
  }

  private Pod podOf(StatefulSet statefulSet) {
    var template = statefulSet.getSpec().getTemplate();
    var labels = new HashMap<String, String>(template.getMetadata().getLabels());
    // Else the StatefulSet, which has no replica here, would take it and delete it.
    labels.keySet().removeAll(statefulSet.getSpec().getSelector().getMatchLabels().keySet());
    return new PodBuilder()
        .withMetadata(
            new ObjectMetaBuilder()
                .withName(podName())
                .withNamespace(namespace)
                .withLabels(labels)
                .withAnnotations(template.getMetadata().getAnnotations())
                .build())
        .withSpec(template.getSpec())
        .build();
  }

  /** Creates a fleet with the templates that are stored of it. */
  void createFleet() {
    StatusCorpus.Stored<SeiNodeDeployment> stored = storedFleet();
    SeiNodeDeployment fleet =
        client.resource(Samples.fleet(namespace, fleet(), stored.resource().getSpec())).create();
    for (ControllerRevision revision : stored.revisions()) {
      ObjectMeta metadata =
          new ObjectMetaBuilder(revision.getMetadata())
              .withName(fleet() + "-" + revision.getRevision())
              .withNamespace(namespace)
              .withUid(null)
              .withResourceVersion(null)
              .addToLabels(Labels.NODE_DEPLOYMENT, fleet())
              .editFirstOwnerReference()
              .withName(fleet())
              .withUid(fleet.getMetadata().getUid())
              .endOwnerReference()
              .build();
      revision.setMetadata(metadata);
      client.resource(revision).create();
    }
    writeStatus(fleet, stored.status().toString());
  }

  /** Returns whether the pod has reached the state in which its fault leaves it. */
  boolean isThere() {
    if (!hasPod()) {
      return true;
    }
    Optional<PodFault> fault = fault();
    if (fault.isEmpty()) {
      return hasSeid(status -> status.getState().getRunning() != null);
    }
    if (fault.get() instanceof PodFault.Dies || fault.get() instanceof PodFault.CrashLoop) {
      return hasSeid(status -> status.getLastState().getTerminated() != null);
    }
    return true;
  }

  private boolean hasSeid(Predicate<ContainerStatus> state) {
    return statusOf(pod(), "seid").filter(state).isPresent();
  }

  /** Names the volume in the status, as the operator does once the claim is bound. */
  void nameVolume() {
    PersistentVolumeClaim claim =
        client.persistentVolumeClaims().inNamespace(namespace).withName("data-" + name).get();
    String volume = claim.getSpec().getVolumeName();
    patchStatus(
        client.resources(SeiNode.class).inNamespace(namespace).withName(name).get(),
        "{\"dataVolume\":{\"name\":\"%s\"}}".formatted(volume));
  }

  Pod pod() {
    return client.pods().inNamespace(namespace).withName(podName()).get();
  }

  static Optional<ContainerStatus> statusOf(Pod pod, String container) {
    return Stream.concat(
            pod.getStatus().getContainerStatuses().stream(),
            pod.getStatus().getInitContainerStatuses().stream())
        .filter(status -> status.getName().equals(container))
        .findFirst();
  }

  /** A recorded node of this state, if possible one that is not Ready for its reason. */
  private StatusCorpus.Stored<SeiNode> storedNode() {
    return Stream.<Predicate<JsonNode>>of(
            status -> isReasonOf(status) && hasCondition(status),
            this::hasCondition,
            status -> status.path("reason").asText().equals("PodReady"))
        .flatMap(isOfState -> NODES.stream().filter(stored -> isOfState.test(stored.status())))
        .findFirst()
        .orElseThrow();
  }

  private boolean isReasonOf(JsonNode status) {
    return status.path("reason").asText().equals(page) && status.has("planHistory");
  }

  private StatusCorpus.Stored<SeiNodeDeployment> storedFleet() {
    return StatusCorpus.fleets().stream()
        .filter(stored -> !stored.revisions().isEmpty())
        .filter(stored -> !stored.status().path("rollout").isMissingNode())
        .findFirst()
        .orElseThrow();
  }

  private boolean hasCondition(JsonNode status) {
    return StreamSupport.stream(status.path("conditions").spliterator(), false)
        .anyMatch(
            condition ->
                condition.path("reason").asText().equals(page)
                    && (reason().isEmpty() || isStalled(condition)));
  }

  private static boolean isStalled(JsonNode condition) {
    return condition.path("type").asText().equals("Stalled")
        && condition.path("status").asText().equals("True");
  }

  /** The status with the condition of the page, which a recorded one may lack. */
  private String conditioned(JsonNode status) {
    if (!isOfStalledNode() || hasCondition(status)) {
      return status.toString();
    }
    ObjectNode stalled = status.deepCopy();
    ArrayNode conditions = stalled.withArray("conditions");
    conditions.removeIf(condition -> condition.path("type").asText().equals("Stalled"));
    conditions
        .addObject()
        .put("type", "Stalled")
        .put("status", "True")
        .put("observedGeneration", 1)
        .put("lastTransitionTime", StatusCorpus.NOW.toString())
        .put("reason", page)
        .put("message", "made for a test");
    return stalled.toString();
  }

  private void writeStatus(HasMetadata object, String status) {
    String current =
        status.replaceAll(
            "\"observedGeneration\":\\d+",
            "\"observedGeneration\":" + object.getMetadata().getGeneration());
    patchStatus(object, current);
  }

  private void patchStatus(HasMetadata object, String status) {
    client
        .resource(object)
        .subresource("status")
        .patch(PatchContext.of(PatchType.JSON_MERGE), "{\"status\":" + status + "}");
  }
}
