package io.sei.operator.render;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.node.OfflineNode;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class BootstrapJobRendererTest {

  /** Every mode and platform there is an example of, where it can have a bootstrap. */
  static List<Rendering> examples() {
    return Rendering.examples().stream()
        .map(
            rendering ->
                new Rendering(
                    rendering.name(),
                    Nodes.node(Rendering.bootstrapping(rendering.node().getSpec())),
                    rendering.config()))
        .filter(rendering -> rendering.bootstrapJob().isPresent())
        .toList();
  }

  @Test
  void everyModeButArchivesCanHaveOne() {
    assertThat(examples().stream().map(rendering -> NodeMode.of(rendering.node().getSpec())))
        .contains(NodeMode.FULL, NodeMode.REPLAYER, NodeMode.VALIDATOR)
        .doesNotContain(NodeMode.ARCHIVE);
  }

  @ParameterizedTest
  @MethodSource("examples")
  void podSeesNoSecretWhatsoever(Rendering example) {
    String pod = Serialization.asJson(pod(example));

    assertThat(pod.replace("imagePullSecrets", "").replace("/var/run/secrets/", ""))
        .doesNotContainIgnoringCase("secret");
    assertThat(pod(example).getVolumes())
        .filteredOn(volume -> volume.getProjected() != null)
        .extracting(Volume::getName)
        .containsExactly("kube-api-access");
    assertThat(example.node().getSpec().validator() == null || !pod.contains("validator-"))
        .isTrue();
  }

  @ParameterizedTest
  @MethodSource("examples")
  void whatSelectsByTheUsersLabelsDoesNotSelectIt(Rendering example) {
    Job job = example.bootstrapJob().orElseThrow();

    assertThat(job.getSpec().getTemplate().getMetadata().getLabels())
        .isEqualTo(Map.of("sei.io/node", "pacific-rpc-0", "sei.io/component", "bootstrap"));
    assertThat(job.getSpec().getTemplate().getMetadata().getAnnotations())
        .containsEntry(Annotations.BOOTSTRAP_RUN, "run-1")
        .doesNotContainKey(Annotations.SPEC_HASH);
  }

  /** The volume is bound where this pod runs, and the node's pod has to follow. */
  @ParameterizedTest
  @MethodSource("examples")
  void podRunsWhereTheNodesWill(Rendering example) {
    PodSpec pod = pod(example);
    PodSpec later =
        new StatefulSetRenderer(example.config(), OfflineNode.FEATURES)
            .render(example.node())
            .getSpec()
            .getTemplate()
            .getSpec();

    assertThat(pod.getNodeSelector()).isEqualTo(later.getNodeSelector());
    assertThat(pod.getTolerations()).isEqualTo(later.getTolerations());
    assertThat(pod.getAffinity()).isEqualTo(later.getAffinity());
    assertThat(pod.getTopologySpreadConstraints()).isEqualTo(later.getTopologySpreadConstraints());
    assertThat(pod.getPriorityClassName()).isEqualTo(later.getPriorityClassName());
    assertThat(pod.getServiceAccountName()).isEqualTo(later.getServiceAccountName());
    assertThat(pod.getImagePullSecrets()).isEqualTo(later.getImagePullSecrets());
  }

  /** The proxy reviews tokens; it is not scraped, so that nothing beside it has a token. */
  @ParameterizedTest
  @MethodSource("examples")
  void onlyTheProxyHasTheKubernetesTokenAndNoneIsOfACloud(Rendering example) {
    PodSpec pod = pod(example);

    assertThat(pod.getAutomountServiceAccountToken()).isFalse();
    assertThat(
            Stream.concat(pod.getInitContainers().stream(), pod.getContainers().stream())
                .filter(
                    container ->
                        container.getVolumeMounts().stream()
                            .anyMatch(mount -> mount.getName().equals("kube-api-access"))))
        .extracting(Container::getName)
        .containsExactly("kube-rbac-proxy");
    assertThat(pod.getContainers()).extracting(Container::getName).containsExactly("seid");
    assertThat(pod.getVolumes()).extracting(Volume::getName).doesNotContain("exporter-tmp");
    assertThat(
            example
                .bootstrapJob()
                .orElseThrow()
                .getSpec()
                .getTemplate()
                .getMetadata()
                .getAnnotations())
        .containsEntry("eks.amazonaws.com/skip-containers", "kube-rbac-proxy");
  }

  @Test
  void longestNameOfANodeFits() {
    SeiNodeSpec spec = Rendering.bootstrapping(Nodes.full());

    assertThat(Names.bootstrapJob(Nodes.named("n".repeat(52), spec))).hasSizeLessThanOrEqualTo(63);
  }

  private static PodSpec pod(Rendering example) {
    return example.bootstrapJob().orElseThrow().getSpec().getTemplate().getSpec();
  }
}
