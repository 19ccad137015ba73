package io.sei.operator.observability;

import static io.sei.operator.render.Labels.NODE_DEPLOYMENT;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.FleetConditionType;
import io.sei.operator.api.v1alpha1.FleetConfiguration;
import io.sei.operator.api.v1alpha1.FleetPhase;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.chain.ChainReport;
import io.sei.operator.chain.UpgradePlan;
import io.sei.operator.render.Names;
import io.sei.operator.render.NodeMode;
import io.sei.operator.render.SpecHash;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * State of all nodes and fleets, computed from the informers' caches at each scrape without a
 * request: a series exists exactly as long as its object, whichever replica leads and however often
 * it restarted.
 */
final class StateMetrics implements MultiCollector {

  private final ReconcileMetrics reconciles;
  private volatile Supplier<Stream<SeiNode>> nodes = Stream::of;
  private volatile Predicate<SeiNode> isPodReady = node -> false;
  private volatile Supplier<Stream<SeiNodeDeployment>> fleets = Stream::of;
  private volatile Supplier<Stream<ChainReport>> chains = Stream::of;
  private volatile Supplier<Stream<String>> handsOff = Stream::of;
  private volatile List<GaugeRow<SeiNode>> nodeRows = List.of();
  private volatile List<GaugeRow<SeiNodeDeployment>> fleetRows = List.of();

  /**
   * @param reconciles knows when an object was last reconciled
   */
  StateMetrics(ReconcileMetrics reconciles) {
    this.reconciles = reconciles;
  }

  /** Says where nodes are found, and which of them have a pod that is Ready. */
  void ofNodes(Supplier<Stream<SeiNode>> present, Predicate<SeiNode> hasReadyPod) {
    isPodReady = hasReadyPod;
    nodes = present;
  }

  /** Says where fleets are found. */
  void ofFleets(Supplier<Stream<SeiNodeDeployment>> present) {
    fleets = present;
  }

  /** Says where chains are found. */
  void ofChains(Supplier<Stream<ChainReport>> heardOf) {
    chains = heardOf;
  }

  /** Says where the namespaces are found that keep the operator's hands off. */
  void ofHandsOff(Supplier<Stream<String>> namespaces) {
    handsOff = namespaces;
  }

  /** Says what else is measured of nodes. */
  void gaugesOfNodes(List<GaugeRow<SeiNode>> rows) {
    nodeRows = List.copyOf(rows);
  }

  /** Says what else is measured of fleets. */
  void gaugesOfFleets(List<GaugeRow<SeiNodeDeployment>> rows) {
    fleetRows = List.copyOf(rows);
  }

  @Override
  public MetricSnapshots collect() {
    var gauges = new ObjectGauges();
    nodes.get().filter(node -> node.getStatus() != null).forEach(node -> node(node, gauges));
    fleets.get().filter(fleet -> fleet.getStatus() != null).forEach(fleet -> fleet(fleet, gauges));
    chains.get().forEach(report -> chain(report, gauges));
    handsOff.get().forEach(text -> handsOff(text, gauges));
    return gauges.build();
  }

  private void node(SeiNode node, ObjectGauges gauges) {
    var status = node.getStatus();
    info(node, gauges);
    gauges.phases(
        "sei_node_phase",
        "1 for the phase a node is in, 0 for the others",
        node,
        status.phase(),
        NodePhase.values());
    gauges.conditions("sei_node_condition", node, status.conditions());
    stalled(
        "sei_node_stalled",
        "1 for the reason a node is stalled for",
        node,
        status.condition(NodeConditionType.STALLED),
        gauges);
    gauges.add(
        "sei_node_restart_pending",
        "1 while the condition RestartPending is True: a pod waits for its template, or seid for"
            + " its configuration, until the next restart, or kubectl rollout restart was used",
        node,
        status.isTrue(NodeConditionType.RESTART_PENDING));
    gauges.add(
        "sei_node_outdated_pods",
        "Pods of a node (1 or 0) that were made for another spec than the node has now",
        node,
        isOutdated(node));
    gauges.add(
        "sei_node_invalid_spec",
        "1 if the operator refuses or cannot read the spec of a node, whose pod it leaves as it is",
        node,
        status
            .condition(NodeConditionType.READY)
            .filter(ready -> ready.isFor(StallReason.INVALID_SPEC))
            .isPresent());
    gauges.add(
        "sei_node_pod_ready",
        "1 if the pod of a node is Ready, whatever the operator does with the node",
        node,
        isPodReady.test(node));
    Names.importedClaim(node)
        .ifPresent(
            claim ->
                gauges.add(
                    "sei_node_imported_claim",
                    "1 for each node that imports its claim, by the name of the claim",
                    node,
                    true,
                    "persistentvolumeclaim",
                    claim));
    nodeRows.forEach(row -> gauges.add(row, node));
    lastLook(node, status.plan(), gauges);
  }

  /** Adds the constant labels of a node, for joins with other series. */
  private static void info(SeiNode node, ObjectGauges gauges) {
    if (node.getSpec() != null) {
      gauges.add(
          "sei_node_role",
          "1 for each node, with its chain, its role (node, archive, replayer, seed, validator) and"
              + " its fleet, empty if it is of none",
          node,
          true,
          "chain",
          String.valueOf(node.getSpec().chainId()),
          "role",
          NodeMode.of(node.getSpec()).role(),
          "fleet",
          io.sei.operator.render.Labels.of(node, NODE_DEPLOYMENT).orElse(""));
    }
  }

  private static void chain(ChainReport chain, ObjectGauges gauges) {
    var labels = Labels.of("namespace", chain.namespace(), "chain", chain.chainId());
    gauges.add(
        "sei_chain_height",
        "Newest height of a chain that a node has reported; only in the replica that leads",
        labels,
        chain.known().height());
    chain.known().planned().ifPresent(plan -> planned(chain, plan, labels, gauges));
  }

  private static void handsOff(String namespace, ObjectGauges gauges) {
    gauges.add(
        "sei_operator_hands_off",
        "1 for each namespace whose Lease of another operator keeps this one from managing; absent"
            + " if there is none",
        Labels.of("namespace", namespace),
        1);
  }

  private static void planned(
      ChainReport chain, UpgradePlan upgrade, Labels labels, ObjectGauges gauges) {
    var ofUpgrade = labels.merge(Labels.of("upgrade", upgrade.name()));
    gauges.add(
        "sei_chain_upgrade_height",
        "Height of the upgrade that a chain has planned; absent if there is none",
        ofUpgrade,
        upgrade.height());
    chain
        .known()
        .plannedTime()
        .ifPresent(
            at ->
                gauges.add(
                    "sei_chain_upgrade_time_seconds",
                    "When that height is to be expected at the rate of the last hour, in seconds"
                        + " since 1970; absent while the rate is not known",
                    ofUpgrade,
                    at.getEpochSecond()));
  }

  private void fleet(SeiNodeDeployment fleet, ObjectGauges gauges) {
    var status = fleet.getStatus();
    gauges.phases(
        "sei_snd_phase",
        "1 for the phase a deployment is in, 0 for the others",
        fleet,
        status.phase(),
        FleetPhase.values());
    gauges.conditions("sei_snd_condition", fleet, status.conditions());
    stalled(
        "sei_snd_stalled",
        "1 for the reason a deployment is stalled for, its own or that of a node",
        fleet,
        status.condition(FleetConditionType.STALLED),
        gauges);
    gauges.add(
        "sei_snd_invalid_spec",
        "1 if the operator refuses or cannot read the spec of a deployment, whose nodes it leaves"
            + " as they are",
        fleet,
        isInvalid(fleet));
    rolledBack(fleet, "template", status.failedTemplateHash(), gauges);
    rolledBack(
        fleet,
        "configuration",
        status.configuration() == null ? null : status.configuration().rolledBack(),
        gauges);
    replicas(fleet, "desired", fleet.getSpec() == null ? null : fleet.getSpec().replicas(), gauges);
    replicas(fleet, "current", status.replicas(), gauges);
    replicas(fleet, "ready", status.readyReplicas(), gauges);
    replicas(fleet, "updated", status.updatedReplicas(), gauges);
    replicas(fleet, "configured", configured(status.configuration()), gauges);
    if (status.rollout() != null) {
      gauges.add(
          "sei_snd_rollout_started_seconds",
          "When the rollout under way began, in seconds since 1970; absent if there is none",
          fleet,
          status.rollout().startedAt().getEpochSecond());
    }
    fleetRows.forEach(row -> gauges.add(row, fleet));
    lastLook(fleet, status.plan(), gauges);
  }

  private static void rolledBack(
      SeiNodeDeployment fleet, String part, String record, ObjectGauges gauges) {
    if (record != null) {
      gauges.add(
          "sei_snd_rolled_back",
          "1 while the template or its configuration is rolled back (part: template,"
              + " configuration); absent once the spec asks for another one",
          fleet,
          true,
          "part",
          part);
    }
  }

  /** Returns how many nodes were given a configuration so far; null once all were. */
  private static Integer configured(FleetConfiguration configuration) {
    return configuration == null || configuration.nodes() == null
        ? null
        : configuration.nodes().size();
  }

  private static void replicas(
      SeiNodeDeployment fleet, String state, Integer count, ObjectGauges gauges) {
    if (count != null) {
      gauges.add(
          "sei_snd_replicas",
          "Nodes of a deployment by state; configured: those that were given the configuration"
              + " under way, absent if there is none",
          fleet,
          count,
          "state",
          state);
    }
  }

  /** Tells a plan that makes no progress from one whose node is not reconciled. */
  private void lastLook(HasMetadata object, TaskPlan plan, ObjectGauges gauges) {
    if (plan == null || !plan.isActive()) {
      return;
    }
    reconciles
        .lastSuccess(object)
        .ifPresent(
            at ->
                gauges.add(
                    "sei_plan_last_looked_seconds",
                    "When a plan under way was last looked at, in seconds since 1970; only in the"
                        + " replica that leads, absent if there is no plan",
                    object,
                    at,
                    "kind",
                    object.getKind()));
  }

  private static boolean isOutdated(SeiNode node) {
    String running = node.getStatus().baseHash();
    return SpecHash.isKnownFormat(running)
        && node.getSpec() != null
        && !Boolean.TRUE.equals(node.getSpec().paused())
        && !running.equals(SpecHash.ofTemplate(node));
  }

  private static void stalled(
      String gauge,
      String help,
      HasMetadata object,
      Optional<Condition> stalled,
      ObjectGauges gauges) {
    stalled
        .filter(Condition::isTrue)
        .map(Condition::reason)
        .filter(StateMetrics::isStallReason)
        .ifPresent(reason -> gauges.add(gauge, help, object, true, "reason", reason));
  }

  private static boolean isStallReason(String reason) {
    return Stream.of(StallReason.values()).anyMatch(known -> known.is(reason));
  }

  private static boolean isInvalid(SeiNodeDeployment fleet) {
    return Stream.ofNullable(fleet.getStatus().conditions())
        .flatMap(List::stream)
        .anyMatch(condition -> condition.isFor(StallReason.INVALID_SPEC));
  }
}
