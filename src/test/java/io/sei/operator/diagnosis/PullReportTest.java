package io.sei.operator.diagnosis;

import static io.sei.operator.testkit.samples.PodSample.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.render.PullJob;
import io.sei.operator.render.PulledImage;
import io.sei.operator.testkit.samples.ContainerSample;
import io.sei.operator.testkit.samples.End;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Reads the messages of a kubelet of Kubernetes 1.37. */
class PullReportTest {

  private static final Duration SOON = Duration.ofSeconds(5);
  private static final PullJob ONE = pull("sei:v9");
  private static final PullJob TWO = pull("sei:v9", "sidecar:v9");

  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource(
      delimiter = '|',
      value = {
        "ErrImagePull | sei:v9: not found | IMAGE_PULL | sei:v9: not found; check the image",
        "ImagePullBackOff | Back-off pulling image \"sei:v9\": ErrImagePull: sei:v9: not found"
            + " | IMAGE_PULL | sei:v9: not found; check the image and its pull secret",
        "ImagePullBackOff | Back-off pulling image \"sei:v9\""
            + " | REGISTRY_UNREACHABLE | Back-off pulling image \"sei:v9\"; check the registry",
        "ErrImagePull | dial tcp: i/o timeout | REGISTRY_UNREACHABLE | dial tcp: i/o timeout; check"
            + " the registry, and the DNS and network of Kubernetes node m1",
        "RegistryUnavailable | the registry is unavailable | REGISTRY_UNREACHABLE"
            + " | the registry is unavailable; check the registry",
        "InvalidImageName | | IMAGE_PULL | InvalidImageName; check the image and its pull secret",
      })
  void imageThatTheKubeletDoesNotGet(String reason, String message, StallReason cause, String why) {
    assertThat(PullReport.of(ONE, waiting(reason, message)))
        .isInstanceOfSatisfying(
            PullReport.Failed.class,
            failed -> {
              assertThat(failed.image()).isEqualTo("sei:v9");
              assertThat(failed.why()).startsWith(why);
              assertThat(failed.cause()).isEqualTo(cause);
            });
  }

  @ParameterizedTest
  @ValueSource(strings = {"ContainerCreating", "PodInitializing"})
  void pullThatGoesOn(String reason) {
    assertThat(PullReport.of(ONE, waiting(reason, null))).isEqualTo(new PullReport.Pulling());
  }

  @Test
  void containerThatCannotStartProvesNothingAboutItsImage() {
    Pod pod = waiting("CreateContainerConfigError", "image will run as root");

    assertThat(PullReport.of(ONE, pod))
        .isEqualTo(
            new PullReport.Untried("image will run as root; check the Events of pod puller"));
  }

  @ParameterizedTest
  @CsvSource({"0", "1", "128"})
  void exitCodeDoesNotMatter(int exitCode) {
    Pod pod =
        aPod("puller")
            .phase(exitCode == 0 ? "Succeeded" : "Failed")
            .status(
                "pull", sample -> sample.imageId("sei@sha256:1").ended(End.exit(exitCode, null)))
            .build();

    assertThat(PullReport.of(ONE, pod))
        .isEqualTo(new PullReport.Pulled(List.of("sei@sha256:1"), Optional.empty()));
  }

  @Test
  void podThatTheKubeletRejects() {
    Pod pod = aPod("puller").phase("Failed").build();
    pod.getStatus().setReason("OutOfpods");
    pod.getStatus().setMessage("Node didn't have enough resource: pods");

    assertThat(PullReport.of(ONE, pod))
        .isEqualTo(
            new PullReport.Untried(
                "the kubelet does not run its pod (OutOfpods: Node didn't have enough resource:"
                    + " pods)"));
  }

  @Test
  void podWithoutAStatusIsNoFailedPull() {
    assertThat(PullReport.of(ONE, pod())).isEqualTo(new PullReport.Pulling());
  }

  @Test
  void jobWithoutAPodIsWaitedForAMinute() {
    Job job = new JobBuilder().withNewMetadata().withName("node-pull-1").endMetadata().build();

    assertThat(PullReport.of(ONE, job, SOON)).isEqualTo(new PullReport.Pulling());
    assertThat(PullReport.of(ONE, job, Duration.ofMinutes(1)))
        .isEqualTo(
            new PullReport.Untried("Job node-pull-1 has not created a pod; check its Events"));
  }

  @Test
  void jobThatRanOutOfTime() {
    Job job = job("DeadlineExceeded", "Job was active longer than specified deadline");

    assertThat(PullReport.of(ONE, job, SOON))
        .isEqualTo(
            new PullReport.Failed(
                "sei:v9",
                "Job node-pull-1 failed: Job was active longer than specified deadline; check the"
                    + " registry, and the DNS and network of Kubernetes node m1",
                StallReason.REGISTRY_UNREACHABLE));
  }

  @ParameterizedTest
  @CsvSource({
    "BackoffLimitExceeded, Job has reached the specified backoff limit",
    "PodFailurePolicy, Pod default/puller has condition DisruptionTarget matching FailJob rule",
    ", the controller gives no reason",
  })
  void jobWhosePodWasDeletedProvesNothingAboutItsImage(String reason, String message) {
    assertThat(PullReport.of(ONE, job(reason, message), SOON))
        .isEqualTo(new PullReport.Untried("Job node-pull-1 failed: " + message));
  }

  @Test
  void allImagesOfAPullAreWaitedFor() {
    ContainerStatus seid = ContainerSample.named("pull").imageId("sei@sha256:1").running().build();
    ContainerStatus waits =
        ContainerSample.named("pull-1").imageId("").waiting("ErrImagePull", "denied").build();
    ContainerStatus sidecar =
        ContainerSample.named("pull-1").imageId("sidecar@sha256:2").running().build();

    assertThat(report(seid)).isEqualTo(new PullReport.Pulling());
    assertThat(report(seid, waits))
        .isEqualTo(
            new PullReport.Failed(
                "sidecar:v9",
                "denied; check the image and its pull secret",
                StallReason.IMAGE_PULL));
    assertThat(report(seid, sidecar))
        .isEqualTo(
            new PullReport.Pulled(List.of("sei@sha256:1", "sidecar@sha256:2"), Optional.empty()));
  }

  private static PullReport report(ContainerStatus... containers) {
    return PullReport.of(TWO, aPod("puller").statuses(containers).build());
  }

  private static PullJob pull(String... images) {
    return new PullJob(
        "1", "m1", Stream.of(images).map(image -> PulledImage.ofContainer("seid", image)).toList());
  }

  private static Pod pod() {
    return aPod("puller").build();
  }

  private static Pod waiting(String reason, String message) {
    return aPod("puller")
        .phase("Pending")
        .status("pull", sample -> sample.imageId("").waiting(reason, message))
        .build();
  }

  private static Job job(String reason, String message) {
    return new JobBuilder()
        .withNewMetadata()
        .withName("node-pull-1")
        .endMetadata()
        .withNewStatus()
        .addNewCondition()
        .withType("Failed")
        .withStatus("True")
        .withReason(reason)
        .withMessage(message)
        .endCondition()
        .endStatus()
        .build();
  }
}
