package io.sei.operator.observability;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.sei.operator.api.v1alpha1.DataVolume;
import io.sei.operator.api.v1alpha1.FleetDataVolume;
import io.sei.operator.api.v1alpha1.FleetDataVolume.Snapshots;
import io.sei.operator.api.v1alpha1.Genesis;
import io.sei.operator.api.v1alpha1.NodeTemplate;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentSpecBuilder;
import io.sei.operator.fleet.GenesisCeremonyTest;
import io.sei.operator.observability.PromQuery.Selector;
import io.sei.operator.observability.Scrape.Series;
import io.sei.operator.testkit.OperatorTestCase;
import io.sei.operator.testkit.PodFault;
import io.sei.operator.testkit.PrometheusSimulator;
import io.sei.operator.testkit.controlplane.ControlPlane;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Looks up every metric and label of alerts and dashboards in a scrape, also after its object is
 * gone.
 */
class MonitoredMetricsTest extends OperatorTestCase {

  private static final String NODE = "archive";
  private static final String FLEET = "rpc";
  private static final String IMAGE_B = "{'spec':{'image':'" + B + "'}}";

  private static final String HANDS_OFF = "sei_operator_hands_off";
  private static final String TIME_OF_UPGRADE = "sei_chain_upgrade_time_seconds";
  private static final Set<String> OF_NODE = Set.of("namespace", "name", "chain");

  /** Metrics of kube-state-metrics, the kubelet, seid and Prometheus, with their labels. */
  private static final Map<String, Set<String>> OF_OTHERS =
      Map.ofEntries(
          entry(
              "kubelet_volume_stats_available_bytes", Set.of("namespace", "persistentvolumeclaim")),
          entry(
              "kubelet_volume_stats_capacity_bytes", Set.of("namespace", "persistentvolumeclaim")),
          entry("kubelet_volume_stats_used_bytes", Set.of("namespace", "persistentvolumeclaim")),
          entry(
              "container_cpu_usage_seconds_total",
              Set.of("namespace", "pod", "container", "image")),
          entry(
              "container_memory_working_set_bytes",
              Set.of("namespace", "pod", "container", "image")),
          entry(
              "kube_pod_container_resource_limits",
              Set.of("namespace", "pod", "container", "resource")),
          entry("kube_statefulset_replicas", Set.of("namespace", "statefulset")),
          entry("kube_statefulset_status_replicas_ready", Set.of("namespace", "statefulset")),
          entry("kube_statefulset_status_replicas_updated", Set.of("namespace", "statefulset")),
          entry(
              "kube_statefulset_status_current_revision",
              Set.of("namespace", "statefulset", "revision")),
          entry(
              "kube_statefulset_status_update_revision",
              Set.of("namespace", "statefulset", "revision")),
          entry(
              "kube_pod_container_status_last_terminated_reason",
              Set.of("namespace", "pod", "container", "reason")),
          entry(
              "kube_pod_container_status_restarts_total", Set.of("namespace", "pod", "container")),
          entry(
              "kube_pod_container_status_waiting_reason",
              Set.of("namespace", "pod", "container", "reason")),
          entry("kube_pod_status_phase", Set.of("namespace", "pod", "phase")),
          entry("kube_pod_owner", Set.of("namespace", "pod", "owner_kind", "owner_name")),
          entry("tendermint_consensus_latest_block_height", OF_NODE),
          entry("tendermint_consensus_state_syncing", OF_NODE),
          entry("tendermint_consensus_validator_missed_blocks", OF_NODE),
          entry("tendermint_consensus_validator_last_signed_height", OF_NODE),
          entry("tendermint_p2p_peers", OF_NODE),
          // Is there only while another operator acts; see HandsOffTest.
          entry(HANDS_OFF, Set.of("namespace")),
          // A rate needs two answers of a chain, which is asked every five minutes.
          entry(TIME_OF_UPGRADE, Set.of("namespace", "chain", "upgrade")));

  /** Labels that Prometheus adds to every series. */
  private static final Set<String> LABELS_OF_PROMETHEUS =
      Set.of("job", "instance", "pod", "cluster");

  /** Labels whose values are ours to choose, so that one that is asked for must have been seen. */
  private static final Set<String> WITH_VALUES_OF_OURS =
      Set.of("phase", "type", "controller", "state", "outcome", "result", "kind");

  /** The labels of every series there was, by metric. */
  private final Map<String, Set<Map<String, String>>> seen = new TreeMap<>();

  private final Map<String, Set<String>> described = new TreeMap<>();

  private final PrometheusSimulator prometheus = new PrometheusSimulator();

  @Override
  protected void startOperator() {
    operatorAs(controlPlane.config(ControlPlane.OPERATOR)).asking(prometheus).start();
  }

  @AfterEach
  void stop() {
    prometheus.close();
  }

  @Test
  void everythingThatIsAskedForExistsAndGoesWithItsObject() {
    Scrape start = see();
    assertThat(start.of("sei_last_reconcile_seconds")).hasSize(3);
    assertThat(start.of("sei_reconcile_errors_total")).hasSize(3).allMatch(one -> one.value() == 0);
    assertThat(start.of("sei_plan_superseded_total")).hasSize(1);
    assertThat(start.of("sei_plan_failures_total"))
        .extracting(series -> series.labels().get("task"))
        .containsExactlyInAnyOrderElementsOf(io.sei.operator.node.OfflineNode.ENGINE.names());
    assertThat(start.ofObjects()).isEmpty();

    planAnUpgrade();
    create();
    fillAVolume();
    startSlowly();
    listAnUpgrade();
    outdateAPod();
    stallARollout();
    putDataAtRisk();
    freezeAndShareAKey();
    failACeremony();
    importAClaim();

    assertThat(missing()).isEmpty();
    Map<String, Set<String>> known = new TreeMap<>();
    describe(MetricsPage.sample(), known);
    known.keySet().removeIf(metric -> metric.startsWith(TIME_OF_UPGRADE + " "));
    known.keySet().removeIf(metric -> metric.startsWith(HANDS_OFF + " "));
    assertThat(described).isEqualTo(known);
    remove(start);
  }

  private void create() {
    var node = named(new SeiNode(), NODE);
    var storage = new DataVolume.Storage(null, "gold", null, null);
    node.setSpec(spec(A).withDataVolume(new DataVolume(null, null, storage, null, null)));
    client.resource(node).create();
    var fleet = named(new SeiNodeDeployment(), FLEET);
    fleet.setSpec(
        SeiNodeDeploymentSpecBuilder.builder()
            .replicas(2)
            .template(new NodeTemplate(null, spec(A)))
            .dataVolume(new FleetDataVolume(new Snapshots("0 0 1 1 *", "any", null, null)))
            .build());
    client.resource(fleet).create();
    eventuallySeldom(
        () -> {
          assertThat(value("sei_node_phase", Map.of("name", NODE, "phase", "Running"))).isOne();
          assertThat(value("sei_snd_phase", Map.of("name", FLEET, "phase", "Ready"))).isOne();
          assertThat(value("sei_snd_next_snapshot_seconds", Map.of("name", FLEET))).isPositive();
        });
    patchStatus(
        fleet(),
        "{'status':{'snapshots':{'failures':2,'latest':{'name':'s',"
            + "'creationTime':'1970-01-01T01:00:00Z'}}}}");
    eventuallySeldom(
        () -> {
          assertThat(value("sei_snd_last_snapshot_seconds", Map.of("name", FLEET))).isEqualTo(3600);
          assertThat(value("sei_snd_snapshot_failures", Map.of("name", FLEET))).isEqualTo(2);
        });
  }

  private void fillAVolume() {
    prometheus.says(namespace, "data-" + NODE, "10Gi", 50);
    eventuallySeldom(
        () -> {
          assertThat(value("sei_node_volume_used_ratio", Map.of("name", NODE))).isEqualTo(0.5);
          assertThat(value("sei_node_volume_seconds_until_full", Map.of("name", NODE)))
              .isPositive();
        });
  }

  private void startSlowly() {
    kubelet.inject(namespace, NODE + "-0", PodFault.SLOW_SEID);
    eventuallySeldom(
        () -> assertThat(value("sei_node_start_began_seconds", Map.of("name", NODE))).isPositive());
    kubelet.clear(namespace, NODE + "-0");
  }

  private void putDataAtRisk() {
    client.persistentVolumeClaims().inNamespace(namespace).withName("data-" + NODE).delete();
    eventuallySeldom(
        () ->
            assertThat(
                    value(
                        "sei_node_condition",
                        Map.of("name", NODE, "type", "DataVolumeAtRisk", "status", "true")))
                .isOne());
  }

  /** Sets conditions as their features write them, without their cause. */
  private void freezeAndShareAKey() {
    eventuallySeldom(
        () -> {
          patchStatus(
              client.resources(SeiNode.class).inNamespace(namespace).withName(NODE).get(),
              "{'status':{'signingRecord':{'name':'key','podUid':'pod','sharedWith':'other'},"
                  + "'conditions':[{'type':'CaughtUp','status':'True','reason':'Frozen',"
                  + "'message':'','lastTransitionTime':'2026-01-01T00:00:00Z'},"
                  + "{'type':'SigningKeyReady','status':'False','reason':'SignerHasAnotherKey',"
                  + "'message':'','lastTransitionTime':'2026-01-01T00:00:00Z'}]}}");
          assertThat(value("sei_node_frozen", Map.of("name", NODE))).isOne();
          assertThat(value("sei_node_signing_key_shared", Map.of("name", NODE))).isOne();
          assertThat(value("sei_node_signer_has_another_key", Map.of("name", NODE))).isOne();
        });
  }

  private void failACeremony() {
    var fleet = named(new SeiNodeDeployment(), "ceremony");
    String tooLittle = "5usei";
    fleet.setSpec(
        GenesisCeremonyTest.validators(1)
            .withGenesis(
                new Genesis(GenesisCeremonyTest.CHAIN, tooLittle, null, null, null, null)));
    client.resource(fleet).create();
    eventuallySeldom(
        () -> assertThat(value("sei_snd_stalled", Map.of("reason", "CeremonyFailed"))).isOne());
  }

  private void importAClaim() {
    var node = named(new SeiNode(), "imported");
    var claim = new DataVolume.Import("kept");
    node.setSpec(spec(A).withDataVolume(new DataVolume(claim, null, null, null, null)));
    client.resource(node).create();
    eventuallySeldom(
        () ->
            assertThat(value("sei_node_imported_claim", Map.of("persistentvolumeclaim", "kept")))
                .isOne());
  }

  private void planAnUpgrade() {
    chain.chain().at(50, Instant.now()).furthest(50).plan("v2", 100, "");
  }

  private void listAnUpgrade() {
    eventuallySeldom(
        () ->
            assertThat(
                    value(
                        "sei_node_upgrades_not_ready", Map.of("name", NODE, "reason", "NotListed")))
                .isOne());
    assertThat(value("sei_chain_height", Map.of())).isEqualTo(50);
    assertThat(value("sei_chain_upgrade_height", Map.of("upgrade", "v2"))).isEqualTo(100);
    kubelet.injectForImage("sei:v2", PodFault.IMAGE_PULL);
    patch(
        client.resources(SeiNode.class).inNamespace(namespace).withName(NODE).get(),
        "{'spec':{'upgrades':[{'name':'v2','height':100,'image':'sei:v2'}]}}");
    eventuallySeldom(
        () ->
            assertThat(
                    value("sei_node_upgrade_height", Map.of("upgrade", "v2", "applied", "false")))
                .isEqualTo(100));
    eventuallySeldom(
        () ->
            assertThat(value("sei_node_upgrades_not_ready", Map.of("reason", "ImagePull")))
                .isOne());
  }

  /** A pod that does not go away is the old one for as long as it is there. */
  private void outdateAPod() {
    kubelet.inject(namespace, NODE + "-0", PodFault.HANGING_TERMINATION);
    patch(client.resources(SeiNode.class).inNamespace(namespace).withName(NODE).get(), IMAGE_B);
    eventuallySeldom(
        () -> assertThat(value("sei_node_outdated_pods", Map.of("name", NODE))).isOne());
    kubelet.clear(namespace, NODE + "-0");
    eventuallySeldom(
        () -> {
          assertThat(value("sei_node_outdated_pods", Map.of("name", NODE))).isZero();
          assertThat(
                  value(
                      "sei_node_condition",
                      Map.of("name", NODE, "type", "UpToDate", "status", "true")))
              .isOne();
        });
  }

  private void stallARollout() {
    kubelet.injectForImage(B, PodFault.IMAGE_PULL);
    patch(fleet(), "{'spec':{'template':" + IMAGE_B + "}}");
    eventuallySeldom(
        () -> {
          assertThat(value("sei_node_stalled", Map.of("reason", "ImagePull"))).isOne();
          assertThat(value("sei_snd_rollout_started_seconds", Map.of("name", FLEET))).isPositive();
          assertThat(see().of("sei_snd_rolled_back")).isEmpty();
        });
    patch(
        fleet(),
        "{'spec':{'updateStrategy':{'inPlace':{'onStall':'Rollback','progressDeadlineSeconds':2}}}}");
    eventuallySeldom(
        () -> assertThat(value("sei_snd_rolled_back", Map.of("part", "template"))).isOne());
    patch(fleet(), "{'spec':{'template':{'spec':{'image':'" + A + "'}}}}");
    eventuallySeldom(
        () -> {
          assertThat(value("sei_snd_phase", Map.of("name", FLEET, "phase", "Ready"))).isOne();
          assertThat(see().of("sei_node_stalled")).isEmpty();
          assertThat(see().of("sei_snd_rolled_back")).isEmpty();
          assertThat(see().of("sei_snd_rollout_started_seconds")).isEmpty();
        });
    assertThat(value("sei_plan_superseded_total", Map.of())).isPositive();
  }

  private void remove(Scrape start) {
    client.resources(SeiNodeDeployment.class).inNamespace(namespace).delete();
    client.resources(SeiNode.class).inNamespace(namespace).delete();
    eventuallySeldom(
        () -> {
          Scrape end = see();
          assertThat(end.ofObjects()).isEmpty();
          assertThat(levels(end)).isEqualTo(levels(start));
        });
  }

  private SeiNodeDeployment fleet() {
    return client.resources(SeiNodeDeployment.class).inNamespace(namespace).withName(FLEET).get();
  }

  private <T extends HasMetadata> T named(T object, String name) {
    object.getMetadata().setName(name);
    object.getMetadata().setNamespace(namespace);
    return object;
  }

  private Scrape see() {
    Scrape scrape = Scrape.parse(operator.scrape());
    scrape.metrics().forEach((metric, series) -> labels(metric).addAll(labels(series)));
    describe(scrape, described);
    return scrape;
  }

  /** The value of the one series with these labels. */
  private double value(String metric, Map<String, String> labels) {
    List<Series> found =
        see()
            .of(metric)
            .filter(series -> series.labels().entrySet().containsAll(labels.entrySet()))
            .toList();
    assertThat(found).as("%s %s", metric, labels).hasSize(1);
    return found.get(0).value();
  }

  /** Gauges that are not 0, apart from those that go with the time or with what was of late. */
  private static Map<String, Double> levels(Scrape scrape) {
    Map<String, Double> levels = new TreeMap<>();
    scrape.families().values().stream()
        .filter(family -> family.type().equals("gauge"))
        .map(Scrape.Family::name)
        .filter(name -> name.matches("(sei|operator_sdk)_.*"))
        .filter(name -> !name.matches("sei_last_reconcile_seconds|sei_watch_age_seconds|.*_max"))
        .flatMap(scrape::of)
        .filter(series -> series.value() != 0)
        .forEach(series -> levels.put(series.metric() + series.labels(), series.value()));
    return levels;
  }

  private Set<Map<String, String>> labels(String metric) {
    return seen.computeIfAbsent(metric, name -> new HashSet<>());
  }

  private static List<Map<String, String>> labels(List<Series> series) {
    return series.stream().map(Series::labels).toList();
  }

  /** Adds our metrics with their types and labels. */
  private static void describe(Scrape scrape, Map<String, Set<String>> described) {
    for (Scrape.Family family : scrape.own()) {
      described
          .computeIfAbsent(family.name() + " " + family.type(), name -> new TreeSet<>())
          .addAll(scrape.labels(family));
    }
  }

  /** Returns the metrics that expressions ask for and no scrape had, with the place of each. */
  private List<String> missing() {
    List<String> missing = new ArrayList<>();
    MonitoringFiles.expressions()
        .forEach(
            (place, expression) -> {
              PromQuery query = PromQuery.parse(expression);
              assertThat(query.selectors()).as(place).isNotEmpty();
              Set<String> known = new TreeSet<>(LABELS_OF_PROMETHEUS);
              known.addAll(query.made());
              for (Selector selector : query.selectors()) {
                known.addAll(labelsOf(selector));
                lack(selector).forEach(lack -> missing.add(place + ": " + lack));
              }
              query.labels().stream()
                  .filter(label -> !known.contains(label))
                  .forEach(label -> missing.add(place + ": no label " + label));
            });
    return missing;
  }

  private List<String> lack(Selector selector) {
    if (MonitoringFiles.recorded().contains(selector.metric())) {
      return List.of();
    }
    Set<String> known = labelsOf(selector);
    if (known.isEmpty() && !OF_OTHERS.containsKey(selector.metric())) {
      return List.of("no metric " + selector.metric());
    }
    return selector.labels().entrySet().stream()
        .filter(
            label ->
                !LABELS_OF_PROMETHEUS.contains(label.getKey()) && !known.contains(label.getKey())
                    || WITH_VALUES_OF_OURS.contains(label.getKey())
                        && label.getValue() != null
                        && !hasValue(selector.metric(), label))
        .map(label -> selector.metric() + " without " + label)
        .toList();
  }

  /** Adds the empty label: a metric without labels exists all the same. */
  private Set<String> labelsOf(Selector selector) {
    Set<String> labels = new TreeSet<>(OF_OTHERS.getOrDefault(selector.metric(), Set.of()));
    if (MonitoringFiles.recorded().contains(selector.metric())) {
      labels.addAll(List.of("namespace", "name", "reason"));
    }
    labels(selector.metric())
        .forEach(
            series -> {
              labels.add("__name__");
              labels.addAll(series.keySet());
            });
    return labels;
  }

  private boolean hasValue(String metric, Map.Entry<String, String> label) {
    return labels(metric).stream()
        .anyMatch(series -> label.getValue().equals(series.get(label.getKey())));
  }
}
