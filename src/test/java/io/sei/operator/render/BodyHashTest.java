package io.sei.operator.render;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.LocalObjectReference;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.Toleration;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.sei.operator.api.v1alpha1.DataReset;
import io.sei.operator.api.v1alpha1.Maintenance;
import io.sei.operator.api.v1alpha1.Scheduling;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.SidecarSpec;
import io.sei.operator.config.OperatorConfig;
import io.sei.operator.node.OfflineNode;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class BodyHashTest {

  private record Change(String what, SeiNode node, OperatorConfig config) {
    @Override
    public String toString() {
      return what;
    }
  }

  private static Change spec(String what, UnaryOperator<SeiNodeSpec> change) {
    return new Change(what, Nodes.node(change.apply(Nodes.full())), Nodes.DEFAULTS);
  }

  private static Change node(String what, Consumer<SeiNode> change) {
    SeiNode node = Nodes.node(Nodes.full());
    change.accept(node);
    return new Change(what, node, Nodes.DEFAULTS);
  }

  private static Change setting(String variable, String value) {
    return new Change(
        variable,
        Nodes.node(Nodes.full()),
        OperatorConfig.fromEnvironment(Map.of(variable, value)));
  }

  static Stream<Change> inPlace() {
    return Stream.of(
        spec("image", spec -> spec.withImage("registry.example/seid:v6.5.0")),
        spec(
            "image of the sidecar",
            spec -> spec.withSidecar(new SidecarSpec("seictl:own", null, null))),
        setting("SEI_KUBE_RBAC_PROXY_IMAGE", "proxy:v2"),
        spec("resources", spec -> spec.withResources(Nodes.requests("1", "2Gi"))),
        spec(
            "resources of the sidecar",
            spec -> spec.withSidecar(new SidecarSpec(null, null, Nodes.requests("1", "2Gi")))),
        spec("revision of the fleet", spec -> spec.withPodLabels(Map.of(Labels.REVISION, "v1-2"))),
        spec("a pause", spec -> spec.withPaused(true)));
  }

  static Stream<Change> replaced() {
    var toleration = new Toleration("NoSchedule", "team", "Exists", null, null);
    return Stream.of(
        spec("latest, whose pull policy differs", spec -> spec.withImage("registry.example/seid")),
        spec("a label", spec -> spec.withPodLabels(Map.of("team", "a"))),
        spec("chain", spec -> spec.withChainId("atlantic-2")),
        spec("port of the sidecar", spec -> spec.withSidecar(new SidecarSpec(null, 7001, null))),
        spec("grace period", spec -> spec.withTerminationGracePeriodSeconds(5L)),
        spec("claim", spec -> spec.withDataVolume(Nodes.importing("other"))),
        spec("hold", spec -> spec.withMaintenance(new Maintenance(Maintenance.Hold.IMMEDIATE))),
        spec(
            "tolerations",
            spec -> spec.withScheduling(Scheduling.NONE.withTolerations(List.of(toleration)))),
        spec(
            "pull secrets",
            spec ->
                spec.withScheduling(
                    Scheduling.NONE.withImagePullSecrets(
                        List.of(new LocalObjectReference("registry"))))),
        setting("SEI_SNAPSHOT_BUCKET", "snapshots"),
        setting("SEI_COSMOS_EXPORTER_IMAGE", "mirror.example/exporter:v2"),
        node(
            "an asked-for restart",
            node ->
                node.getMetadata().setAnnotations(Map.of(Annotations.RESTART_REQUESTED_AT, "now"))),
        node(
            "a reset of data",
            node -> {
              node.setSpec(node.getSpec().withDataResetGeneration(1L));
              node.setStatus(
                  SeiNodeStatus.empty().withDataReset(new DataReset(1L, "claim", null, null)));
            }));
  }

  @ParameterizedTest
  @MethodSource("inPlace")
  void whatCanBeChangedInARunningPodLeavesIt(Change change) {
    assertThat(hash(change.node(), change.config())).isEqualTo(hash(Nodes.full()));
  }

  @ParameterizedTest
  @MethodSource("replaced")
  void whatOnlyAnotherPodCanHaveChangesIt(Change change) {
    assertThat(hash(change.node(), change.config())).isNotEqualTo(hash(Nodes.full()));
  }

  @Test
  void anotherImageOfTheExporterLeavesIt() {
    SeiNode node = Nodes.node(Nodes.full());

    assertThat(hash(node, withExporter("mirror.example/exporter:v2")))
        .isEqualTo(hash(node, withExporter("mirror.example/exporter:v3")));
  }

  @Test
  void probesAndVariablesAreInIt() {
    SeiNode node = Nodes.node(Nodes.full());
    PodTemplateSpec template = template(node, Nodes.DEFAULTS);
    String before = BodyHash.of(template, node);

    template.getSpec().getContainers().get(0).getReadinessProbe().setPeriodSeconds(3);
    String probe = BodyHash.of(template, node);
    template.getSpec().getContainers().get(0).getEnv().get(0).setValue("/elsewhere");

    assertThat(List.of(before, probe, BodyHash.of(template, node))).doesNotHaveDuplicates();
  }

  @Test
  void stampsAndTheOrderOfKeysAreNotInIt() {
    SeiNode node = Nodes.node(Nodes.full());
    PodTemplateSpec template = template(node, Nodes.DEFAULTS);
    String stamped = template.getMetadata().getAnnotations().get(Annotations.BODY_HASH);

    template.getMetadata().getAnnotations().put(Annotations.SPEC_HASH, "v1:other");
    template.getMetadata().setAnnotations(reversed(template.getMetadata().getAnnotations()));
    template.getMetadata().setLabels(reversed(template.getMetadata().getLabels()));

    assertThat(BodyHash.of(template, node)).isEqualTo(stamped);
  }

  /** A later build compares what an API server returns. */
  @Test
  void itIsTheSameOfATemplateThatWasWrittenAndRead() {
    for (SeiNodeSpec spec : List.of(Nodes.full(), Nodes.archive(), Nodes.validatorWithKeys())) {
      SeiNode node = Nodes.node(spec);
      PodTemplateSpec template = template(node, Nodes.PLATFORM);
      var read = Serialization.unmarshal(Serialization.asYaml(template), PodTemplateSpec.class);

      assertThat(BodyHash.of(read, node)).isEqualTo(BodyHash.of(template, node)).startsWith("v1:");
    }
  }

  private static Map<String, String> reversed(Map<String, String> map) {
    var keys = new ArrayList<>(new TreeMap<>(map).keySet());
    Collections.reverse(keys);
    var reversed = new LinkedHashMap<String, String>();
    keys.forEach(key -> reversed.put(key, map.get(key)));
    return reversed;
  }

  private static OperatorConfig withExporter(String image) {
    return OperatorConfig.fromEnvironment(Map.of("SEI_COSMOS_EXPORTER_IMAGE", image));
  }

  private static String hash(SeiNodeSpec spec) {
    return hash(Nodes.node(spec), OperatorConfig.fromEnvironment(Map.of()));
  }

  private static String hash(SeiNode node, OperatorConfig config) {
    return template(node, config).getMetadata().getAnnotations().get(Annotations.BODY_HASH);
  }

  private static PodTemplateSpec template(SeiNode node, OperatorConfig config) {
    return PodTemplateRenderer.ofNodes(config, OfflineNode.FEATURES).render(node);
  }
}
