package io.sei.operator.render;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import io.fabric8.kubernetes.api.model.AffinityBuilder;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.LocalObjectReference;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import io.fabric8.kubernetes.api.model.Toleration;
import io.fabric8.kubernetes.api.model.TopologySpreadConstraint;
import io.fabric8.kubernetes.api.model.TopologySpreadConstraintBuilder;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.sei.operator.api.v1alpha1.Scheduling;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.config.OperatorConfig;
import io.sei.operator.node.OfflineNode;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StatefulSetRendererTest {

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
  void aTaintIsToleratedWithoutANodePoolToo() {
    var config = OperatorConfig.fromEnvironment(Map.of("SEI_TOLERATION_KEY", "sei.io/workload"));

    assertThat(pod(Nodes.full(), config).getTolerations())
        .containsExactly(new Toleration("NoSchedule", "sei.io/workload", "Exists", null, null));
  }

  @Test
  void whatTheSpecAsksForJoinsThePlatformsPlacement() {
    var toleration = new Toleration("NoSchedule", "team", "Exists", null, null);
    var secrets = List.of(new LocalObjectReference("registry"));
    var apart = new AffinityBuilder().withNewPodAntiAffinity().endPodAntiAffinity().build();
    var pod =
        pod(
            Nodes.full()
                .withScheduling(
                    new Scheduling(
                        Map.of("disk", "nvme"),
                        List.of(toleration),
                        apart,
                        null,
                        "chain",
                        secrets,
                        "own-account")),
            Nodes.PLATFORM);

    assertThat(pod.getNodeSelector()).containsOnly(entry("disk", "nvme"));
    assertThat(pod.getTolerations())
        .containsExactly(
            new Toleration("NoSchedule", "sei.io/workload", null, null, "sei-node"), toleration);
    assertThat(pod.getAffinity().getNodeAffinity())
        .isEqualTo(pod(Nodes.full(), Nodes.PLATFORM).getAffinity().getNodeAffinity());
    assertThat(pod.getAffinity().getPodAntiAffinity()).isEqualTo(apart.getPodAntiAffinity());
    assertThat(pod.getPriorityClassName()).isEqualTo("chain");
    assertThat(pod.getImagePullSecrets()).isEqualTo(secrets);
    assertThat(pod.getServiceAccountName()).isEqualTo("own-account");
  }

  @Test
  void aNodeAffinityOfTheSpecTakesThePlaceOfTheNodePools() {
    var own = new AffinityBuilder().withNewNodeAffinity().endNodeAffinity().build();
    var spec = Nodes.full().withScheduling(Scheduling.NONE.withAffinity(own));

    assertThat(pod(spec, Nodes.PLATFORM).getAffinity()).isEqualTo(own);
  }

  @Test
  void aFleetIsSpreadUnlessItsTemplateSaysHow() {
    var own = new TopologySpreadConstraintBuilder().withMaxSkew(2).withTopologyKey("zone").build();
    var asked = Scheduling.NONE.withTopologySpreadConstraints(List.of(own));

    assertThat(ofFleet(Nodes.full()))
        .singleElement()
        .satisfies(
            spread -> {
              assertThat(spread.getMaxSkew()).isEqualTo(1);
              assertThat(spread.getTopologyKey()).isEqualTo("kubernetes.io/hostname");
              assertThat(spread.getWhenUnsatisfiable()).isEqualTo("ScheduleAnyway");
              assertThat(spread.getLabelSelector().getMatchLabels())
                  .containsOnly(entry("sei.io/nodedeployment", "rpc"));
            });
    assertThat(ofFleet(Nodes.full().withScheduling(asked))).containsExactly(own);
    assertThat(pod(Nodes.full()).getTopologySpreadConstraints()).isEmpty();
  }

  /** No user sets the spread, so no pod restarts for it. */
  @Test
  void theSpreadOfAFleetIsNotInTheSpecHash() {
    assertThat(SpecHash.of(child(Nodes.full()))).isEqualTo(SpecHash.of(Nodes.full(), null));
  }

  private static List<TopologySpreadConstraint> ofFleet(SeiNodeSpec spec) {
    return render(child(spec)).getSpec().getTemplate().getSpec().getTopologySpreadConstraints();
  }

  private static SeiNode child(SeiNodeSpec spec) {
    SeiNode node = Nodes.node(spec);
    node.getMetadata().setLabels(Map.of("sei.io/nodedeployment", "rpc"));
    return node;
  }

  @ParameterizedTest
  @CsvSource({
    "seid,                          Always",
    "seid:latest,                   Always",
    "host:5000/seid,                Always",
    "host:5000/seid:v1,             IfNotPresent",
    "seid:v1,                       IfNotPresent",
    "seid:latest@sha256:0123456789, IfNotPresent",
  })
  void pullPolicyIsThatOfTheImageThatIsNamedNow(String image, String policy) {
    assertThat(pod(Nodes.full().withImage(image)).getContainers().get(0).getImagePullPolicy())
        .isEqualTo(policy);
  }

  @Test
  void nothingEndsASeidThatReplaysAndAHungSidecarIsNotTheProxysFault() {
    var pod = pod(Nodes.full());
    var seid = pod.getContainers().get(0);
    var proxy = pod.getInitContainers().get(1);
    var sidecar = pod.getInitContainers().get(2);

    assertThat(seid.getLivenessProbe()).isNull();
    assertThat(
            seid.getStartupProbe().getPeriodSeconds()
                * seid.getStartupProbe().getFailureThreshold())
        .isEqualTo((int) Duration.ofDays(5).toSeconds());
    assertThat(proxy.getLivenessProbe().getHttpGet()).isNull();
    assertThat(sidecar.getLivenessProbe().getHttpGet().getPort().getIntVal()).isEqualTo(8443);
    assertThat(
            sidecar.getLivenessProbe().getPeriodSeconds()
                * sidecar.getLivenessProbe().getFailureThreshold())
        .isGreaterThanOrEqualTo(60);
  }

  private static StatefulSet render(SeiNode node) {
    return new StatefulSetRenderer(Nodes.DEFAULTS, OfflineNode.FEATURES).render(node);
  }

  private static PodSpec pod(SeiNodeSpec spec) {
    return pod(spec, Nodes.DEFAULTS);
  }

  private static PodSpec pod(SeiNodeSpec spec, OperatorConfig config) {
    return new StatefulSetRenderer(config, OfflineNode.FEATURES)
        .render(Nodes.node(spec))
        .getSpec()
        .getTemplate()
        .getSpec();
  }

  private static Container seid(SeiNodeSpec spec) {
    return pod(spec).getContainers().get(0);
  }
}
