package io.sei.operator.render;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;
import static org.assertj.core.api.Assertions.tuple;

import io.fabric8.kubernetes.api.model.AffinityBuilder;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.LocalObjectReference;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import io.fabric8.kubernetes.api.model.Toleration;
import io.fabric8.kubernetes.api.model.TopologySpreadConstraint;
import io.fabric8.kubernetes.api.model.TopologySpreadConstraintBuilder;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.sei.operator.api.v1alpha1.Scheduling;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.SidecarSpec;
import io.sei.operator.config.OperatorConfig;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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
  void theTemplateIsStampedWithTheSpecHashAndTheAudienceOfItsProxy() {
    var node = Nodes.node(Nodes.full());
    node.getMetadata().setAnnotations(Map.of("sei.io/restart-requested-at", "now"));

    assertThat(render(node).getSpec().getTemplate().getMetadata().getAnnotations())
        .containsOnly(
            entry("sei.io/spec-hash", SpecHash.of(Nodes.full(), "now")),
            entry("sei.io/body-hash", bodyHash(node)),
            entry("sei.io/sidecar-audience", "sei.io/sidecar"),
            entry("kubectl.kubernetes.io/default-container", "seid"),
            entry("karpenter.sh/do-not-disrupt", "true"));
  }

  private static String bodyHash(SeiNode node) {
    return BodyHash.of(new PodTemplateRenderer(Nodes.DEFAULTS).render(node), node);
  }

  /** One image begins with seictl, the other with sei-sidecar serve. */
  @Test
  void sidecarIsStartedByTheEntryPointOfItsImage() {
    Container sidecar = pod(Nodes.full()).getInitContainers().get(2);

    assertThat(sidecar.getCommand()).isEmpty();
    assertThat(sidecar.getArgs()).containsExactly("serve");
    assertThat(sidecar.getEnv())
        .filteredOn(variable -> variable.getName().equals("SEI_HOME"))
        .singleElement()
        .satisfies(home -> assertThat(home.getValue()).startsWith("/"));
  }

  /** A Service of the name sei-sidecar would set SEI_SIDECAR_PORT. */
  @Test
  void namesOfServicesAreNotSettings() {
    var bootstrap =
        new BootstrapJobRenderer(Nodes.DEFAULTS)
            .render(Nodes.node(Rendering.bootstrapping(Nodes.full())), "run-1")
            .getSpec()
            .getTemplate()
            .getSpec();

    assertThat(pod(Nodes.full()).getEnableServiceLinks()).isFalse();
    assertThat(bootstrap.getEnableServiceLinks()).isFalse();
  }

  /** seid answers well until a peer has told it a height. */
  @Test
  void readyNeedsThreeGoodAnswersInARow() {
    var readiness = seid(Nodes.full()).getReadinessProbe();

    assertThat(readiness.getSuccessThreshold()).isEqualTo(3);
    assertThat(readiness.getPeriodSeconds()).isEqualTo(2);
  }

  @Test
  void sidecarsAreNative() {
    var pod = pod(Nodes.full());

    assertThat(pod.getInitContainers())
        .extracting(Container::getName, Container::getRestartPolicy)
        .containsExactly(
            tuple("seid-init", null),
            tuple("kube-rbac-proxy", "Always"),
            tuple("sei-sidecar", "Always"));
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

  /** It is no wish of the user's: no pod restarts for it. */
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

  @Test
  void theSidecarsPortReachesEveryoneWhoTalksToIt() {
    var pod = pod(Nodes.full().withSidecar(new SidecarSpec(null, 7001, null)));

    assertThat(pod.getContainers().get(0).getArgs().get(0)).contains("/dev/tcp/localhost/7001");
    assertThat(pod.getInitContainers().get(1).getArgs())
        .contains("--upstream=http://127.0.0.1:7001/");
    assertThat(pod.getInitContainers().get(2).getEnv())
        .filteredOn(variable -> variable.getName().equals("SEI_SIDECAR_PORT"))
        .extracting("value")
        .containsExactly("7001");
  }

  @Test
  void sidecarHasEveryVariableWithoutWhichItEndsAtItsStart() {
    assertThat(pod(Nodes.full()).getInitContainers().get(2).getEnv())
        .filteredOn(variable -> variable.getName().matches("SEI_(GENESIS|SNAPSHOT)_.*"))
        .extracting(EnvVar::getName, EnvVar::getValue)
        .containsExactly(
            tuple("SEI_GENESIS_BUCKET", "unset"),
            tuple("SEI_GENESIS_REGION", "unset"),
            tuple("SEI_SNAPSHOT_BUCKET", "unset"),
            tuple("SEI_SNAPSHOT_REGION", "unset"));
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
  void lastWordsOfEveryContainerAreKept() {
    var pod = pod(Nodes.full());

    assertThat(Stream.concat(pod.getInitContainers().stream(), pod.getContainers().stream()))
        .extracting(Container::getTerminationMessagePolicy)
        .containsOnly("FallbackToLogsOnError");
  }

  @Test
  void readinessOfThePodIsThatOfSeid() {
    var pod = pod(Nodes.full());

    assertThat(Stream.concat(pod.getInitContainers().stream(), pod.getContainers().stream()))
        .filteredOn(container -> container.getReadinessProbe() != null)
        .extracting(Container::getName)
        .containsExactly("seid");
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
