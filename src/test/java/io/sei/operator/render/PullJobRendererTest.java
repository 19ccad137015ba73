package io.sei.operator.render;

import static io.sei.operator.testkit.samples.PodSample.aPod;
import static io.sei.operator.testkit.samples.Samples.yaml;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Toleration;
import io.fabric8.kubernetes.api.model.TolerationBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeSpecBuilder;
import io.sei.operator.testkit.samples.Samples;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PullJobRendererTest {

  private static final Toleration TOLERATION =
      new TolerationBuilder().withKey("sei.io/workload").withOperator("Exists").build();

  private static final Pod POD =
      aPod(yaml(
              Pod.class,
              """
              spec:
                nodeName: m1
                serviceAccountName: seid-node
                imagePullSecrets: [{name: registry}]
                volumes: [{name: data}]
              """))
          .edit(builder -> builder.editSpec().withTolerations(TOLERATION).endSpec())
          .build();

  @Test
  void isBoundToTheKubernetesNodeAndPullsWithTheRightsOfTheNodesPod() {
    PodSpec pod = render("sei:v2").getSpec().getTemplate().getSpec();

    assertThat(pod.getNodeName()).isEqualTo("m1");
    assertThat(pod.getImagePullSecrets()).isEqualTo(POD.getSpec().getImagePullSecrets());
    assertThat(pod.getTolerations()).containsExactly(TOLERATION);
    assertThat(pod.getServiceAccountName()).isEqualTo("seid-node");
  }

  @Test
  void hasNothingOfTheNode() {
    Job job = render("sei:v2");
    PodSpec pod = job.getSpec().getTemplate().getSpec();

    assertThat(pod.getVolumes())
        .as("for temporary files alone")
        .singleElement()
        .matches(volume -> volume.getEmptyDir().getMedium().equals("Memory"));
    assertThat(pod.getAutomountServiceAccountToken()).isFalse();
    assertThat(job.getSpec().getTemplate().getMetadata().getLabels())
        .as("no label that a Service, a StatefulSet or a watch selects by")
        .containsOnlyKeys("sei.io/image-pull");
    assertThat(job.getMetadata().getLabels()).containsOnlyKeys("sei.io/image-pull");
  }

  @Test
  void leavesNothingBehind() {
    Job job = render("sei:v2");

    assertThat(job.getMetadata().getOwnerReferences())
        .singleElement()
        .matches(owner -> owner.getUid().equals("uid") && owner.getController());
    assertThat(job.getSpec().getBackoffLimit()).isZero();
    assertThat(job.getSpec().getActiveDeadlineSeconds()).isEqualTo(3000);
    assertThat(job.getSpec().getTtlSecondsAfterFinished()).isEqualTo(600);
    assertThat(job.getSpec().getTemplate().getSpec().getRestartPolicy()).isEqualTo("Never");
  }

  @Test
  void isRestricted() {
    assertThat(render("sei:v2").getSpec().getTemplate().getSpec().getContainers())
        .singleElement()
        .satisfies(
            container -> {
              assertThat(container.getSecurityContext()).isEqualTo(SecurityContexts.readOnlyRoot());
              assertThat(container.getResources().getRequests()).containsOnlyKeys("cpu", "memory");
              assertThat(container.getResources().getLimits()).containsOnlyKeys("cpu", "memory");
            });
  }

  /** A command that an image lacks ends the Job with Warnings, and an image pulled all the same. */
  @ParameterizedTest
  @CsvSource({
    "seid,            seid version, ''",
    "seid-init,       seid version, ''",
    "sei-sidecar,     '',           help",
    "kube-rbac-proxy, '',           --help",
  })
  void endsWellWhateverTheImageHas(String of, String command, String arguments) {
    var pull = new PullJob("1", "m1", List.of(PulledImage.ofContainer(of, "image:v2")));
    Container container =
        new PullJobRenderer()
            .render(node("atlantic"), pull, POD)
            .getSpec()
            .getTemplate()
            .getSpec()
            .getContainers()
            .get(0);

    assertThat(String.join(" ", container.getCommand())).isEqualTo(command);
    assertThat(String.join(" ", container.getArgs())).isEqualTo(arguments);
  }

  @Test
  void hasNoToken() {
    var template = render("sei:v2").getSpec().getTemplate();

    assertThat(template.getSpec().getAutomountServiceAccountToken()).isFalse();
    assertThat(template.getSpec().getVolumes())
        .noneMatch(volume -> volume.getProjected() != null || volume.getSecret() != null);
    assertThat(template.getMetadata().getAnnotations())
        .containsEntry("eks.amazonaws.com/skip-containers", "pull")
        .containsEntry("azure.workload.identity/skip-containers", "pull");
  }

  @ParameterizedTest
  @CsvSource({"sei:v2, Always", "registry:5000/sei@sha256:1, IfNotPresent"})
  void tagThatWasMovedIsSeen(String image, String policy) {
    assertThat(render(image).getSpec().getTemplate().getSpec().getContainers())
        .singleElement()
        .matches(
            container ->
                container.getImage().equals(image)
                    && container.getImagePullPolicy().equals(policy));
  }

  @ParameterizedTest
  @CsvSource({"v3, sei:v2, m1", "v2, sei:v3, m1", "v2, sei:v2, m2"})
  void anotherPullIsAnotherJobWhoseNameFitsALabel(
      String slot, String image, String kubernetesNode) {
    SeiNode longest = node("n".repeat(52));
    String one = Names.pullJob(longest, pull("v2", "sei:v2", "m1"));
    String other = Names.pullJob(longest, pull(slot, image, kubernetesNode));

    assertThat(other).isNotEqualTo(one).hasSize(63);
  }

  private static Job render(String image) {
    return new PullJobRenderer().render(node("atlantic"), pull("v2", image, "m1"), POD);
  }

  private static PullJob pull(String slot, String image, String kubernetesNode) {
    return new PullJob(slot, kubernetesNode, List.of(PulledImage.ofUpgrade(image)));
  }

  private static SeiNode node(String name) {
    var node =
        Samples.node(
            "default",
            name,
            SeiNodeSpecBuilder.builder().chainId("atlantic-2").image("sei:v1").build());
    node.getMetadata().setUid("uid");
    return node;
  }
}
