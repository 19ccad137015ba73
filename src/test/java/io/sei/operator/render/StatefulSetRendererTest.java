package io.sei.operator.render;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;
import static org.assertj.core.api.Assertions.tuple;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import io.fabric8.kubernetes.api.model.Toleration;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.SidecarSpec;
import io.sei.operator.config.OperatorConfig;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class StatefulSetRendererTest {

  @Test
  void theOperatorAloneReplacesItsOnlyPod() {
    var spec = render(Nodes.full()).getSpec();

    assertThat(spec.getReplicas()).isEqualTo(1);
    assertThat(spec.getUpdateStrategy().getType()).isEqualTo("OnDelete");
    assertThat(spec.getSelector().getMatchLabels())
        .containsExactly(entry("sei.io/node", "pacific-rpc-0"));
    assertThat(spec.getServiceName()).isEqualTo("pacific-rpc-0");
  }

  @Test
  void pausingChangesNothingButTheReplicas() {
    var running = render(Nodes.full());
    var paused = render(Nodes.full().withPaused(true));

    assertThat(paused.getSpec().getReplicas()).isZero();
    paused.getSpec().setReplicas(1);
    assertThat(paused).isEqualTo(running);
    assertThat(render(Nodes.full().withPaused(false))).isEqualTo(running);
  }

  @Test
  void theTemplateIsStampedWithTheSpecHash() {
    var node = Nodes.node(Nodes.full());
    node.getMetadata().setAnnotations(Map.of("sei.io/restart-requested-at", "now"));

    assertThat(render(node).getSpec().getTemplate().getMetadata().getAnnotations())
        .containsOnly(
            entry("sei.io/spec-hash", SpecHash.of(Nodes.full(), "now")),
            entry("karpenter.sh/do-not-disrupt", "true"));
  }

  @Test
  void sidecarsAreNative() {
    var pod = pod(Nodes.full());

    assertThat(pod.getInitContainers())
        .extracting(Container::getName, Container::getRestartPolicy)
        .containsExactly(
            tuple("seid-init", null),
            tuple("sei-sidecar", "Always"),
            tuple("kube-rbac-proxy", "Always"));
    assertThat(pod.getContainers())
        .extracting(Container::getName)
        .containsExactly("seid", "cosmos-exporter");
  }

  @Test
  void seidGetsTwoMinutesToStopUnlessTheSpecSaysOtherwise() {
    assertThat(pod(Nodes.full()).getTerminationGracePeriodSeconds()).isEqualTo(120);
    assertThat(pod(Nodes.full().withTerminationGracePeriodSeconds(0L)))
        .extracting(PodSpec::getTerminationGracePeriodSeconds)
        .isEqualTo(0L);
  }

  @Test
  void resourcesOfTheSpecReplaceThoseOfTheMode() {
    assertThat(seid(Nodes.archive()).getResources().getRequests())
        .containsOnly(
            entry("cpu", new Quantity(Nodes.DEFAULTS.pod().requestsArchive().cpu())),
            entry("memory", new Quantity(Nodes.DEFAULTS.pod().requestsArchive().memory())));
    assertThat(seid(Nodes.archive().withResources(Nodes.requests("1", "2Gi"))).getResources())
        .isEqualTo(Nodes.requests("1", "2Gi"));
  }

  @Test
  void resourcesThatSayNothingLeaveTheDefaults() {
    assertThat(seid(Nodes.full().withResources(new ResourceRequirements())))
        .isEqualTo(seid(Nodes.full()));
  }

  @Test
  void theRenderedResourcesAreNotTheSpecsOwn() {
    var spec = Nodes.full().withResources(Nodes.requests("1", "2Gi"));

    seid(spec).getResources().getRequests().clear();

    assertThat(spec.resources()).isEqualTo(Nodes.requests("1", "2Gi"));
  }

  @Test
  void withoutNodePoolsPodsRunAnywhere() {
    var pod = pod(Nodes.full());

    assertThat(pod.getAffinity()).isNull();
    assertThat(pod.getTolerations()).isEmpty();
  }

  @Test
  void withNodePoolsPodsAreBoundToTheirs() {
    var pod = pod(Nodes.archive(), Nodes.PLATFORM);

    assertThat(
            pod.getAffinity()
                .getNodeAffinity()
                .getRequiredDuringSchedulingIgnoredDuringExecution()
                .getNodeSelectorTerms())
        .singleElement()
        .satisfies(
            term ->
                assertThat(term.getMatchExpressions())
                    .extracting("key", "operator", "values")
                    .containsExactly(tuple("karpenter.sh/nodepool", "In", List.of("sei-archive"))));
    assertThat(pod.getTolerations())
        .containsExactly(
            new Toleration("NoSchedule", "sei.io/workload", null, null, "sei-archive"));
  }

  @Test
  void aTaintIsToleratedWithoutANodePoolToo() {
    var config = OperatorConfig.fromEnvironment(Map.of("SEI_TOLERATION_KEY", "sei.io/workload"));

    assertThat(pod(Nodes.full(), config).getTolerations())
        .containsExactly(new Toleration("NoSchedule", "sei.io/workload", "Exists", null, null));
  }

  @Test
  void theSidecarsPortReachesEveryoneWhoTalksToIt() {
    var pod = pod(Nodes.full().withSidecar(new SidecarSpec(null, 7001, null)));

    assertThat(pod.getContainers().get(0).getArgs().get(0)).contains("/dev/tcp/localhost/7001");
    assertThat(pod.getInitContainers().get(2).getArgs())
        .contains("--upstream=http://127.0.0.1:7001/");
    assertThat(pod.getInitContainers().get(1).getEnv())
        .filteredOn(variable -> variable.getName().equals("SEI_SIDECAR_PORT"))
        .extracting("value")
        .containsExactly("7001");
  }

  @Test
  void bucketsThatAreNotConfiguredAreNotMentioned() {
    assertThat(pod(Nodes.full()).getInitContainers().get(1).getEnv())
        .extracting("name")
        .containsExactly("SEI_CHAIN_ID", "SEI_SIDECAR_PORT", "SEI_HOME", "SEI_SIDECAR_AUTHN_MODE");
  }

  private static StatefulSet render(SeiNodeSpec spec) {
    return render(Nodes.node(spec));
  }

  private static StatefulSet render(SeiNode node) {
    return new StatefulSetRenderer(Nodes.DEFAULTS).render(node);
  }

  private static PodSpec pod(SeiNodeSpec spec) {
    return pod(spec, Nodes.DEFAULTS);
  }

  private static PodSpec pod(SeiNodeSpec spec, OperatorConfig config) {
    return new StatefulSetRenderer(config)
        .render(Nodes.node(spec))
        .getSpec()
        .getTemplate()
        .getSpec();
  }

  private static Container seid(SeiNodeSpec spec) {
    return pod(spec).getContainers().get(0);
  }
}
