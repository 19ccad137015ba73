package io.sei.operator.diagnosis;

import static io.sei.operator.testkit.samples.PodSample.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import io.sei.operator.testkit.samples.End;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** With the words of a kubelet of Kubernetes 1.37. */
class PullReportTest {

  private static final Duration SOON = Duration.ofSeconds(5);

  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource(
      delimiter = '|',
      value = {
        "ErrImagePull | sei:v9: not found | sei:v9: not found; check the image and its pull secret",
        "ImagePullBackOff | Back-off pulling image \"sei:v9\": ErrImagePull: sei:v9: not found"
            + " | sei:v9: not found; check the image and its pull secret",
        "ImagePullBackOff | Back-off pulling image \"sei:v9\""
            + " | Back-off pulling image \"sei:v9\"; check the image and its pull secret",
        "InvalidImageName | | InvalidImageName; check the image and its pull secret",
      })
  void imageThatTheKubeletDoesNotGet(String reason, String message, String why) {
    assertThat(PullReport.of(Optional.empty(), List.of(waiting(reason, message)), SOON))
        .isEqualTo(new PullReport.Failed(why));
  }

  @ParameterizedTest
  @ValueSource(strings = {"ContainerCreating", "PodInitializing"})
  void pullThatGoesOn(String reason) {
    assertThat(PullReport.of(Optional.empty(), List.of(waiting(reason, null)), SOON))
        .isEqualTo(new PullReport.Pulling());
  }

  @Test
  void containerThatCannotStartSaysNothingOfItsImage() {
    Pod pod = waiting("CreateContainerConfigError", "image will run as root");

    assertThat(PullReport.of(Optional.empty(), List.of(pod), SOON))
        .isEqualTo(
            new PullReport.Untried("image will run as root; check the Events of pod puller"));
  }

  @ParameterizedTest
  @CsvSource({"0", "1", "128"})
  void exitCodeDoesNotMatter(int exitCode) {
    Pod pod =
        aPod("puller")
            .phase(exitCode == 0 ? "Succeeded" : "Failed")
            .status("pull", it -> it.imageId("sei@sha256:1").ended(End.exit(exitCode, null)))
            .build();

    assertThat(PullReport.of(Optional.empty(), List.of(pod), SOON))
        .isEqualTo(new PullReport.Pulled("sei@sha256:1"));
  }

  @Test
  void podThatTheKubeletRejects() {
    Pod pod = aPod("puller").phase("Failed").build();
    pod.getStatus().setReason("OutOfpods");
    pod.getStatus().setMessage("Node didn't have enough resource: pods");

    assertThat(PullReport.of(Optional.empty(), List.of(pod), SOON))
        .isEqualTo(
            new PullReport.Untried(
                "the kubelet does not run its pod (OutOfpods: Node didn't have enough resource:"
                    + " pods)"));
  }

  @Test
  void podThatNobodyHasLookedAtYet() {
    assertThat(PullReport.of(Optional.empty(), List.of(pod()), SOON))
        .isEqualTo(new PullReport.Pulling());
  }

  @Test
  void jobWithoutAPodIsWaitedForAMinute() {
    Optional<Job> job = Optional.of(job(null));

    assertThat(PullReport.of(job, List.of(), SOON)).isEqualTo(new PullReport.Pulling());
    assertThat(PullReport.of(job, List.of(), Duration.ofMinutes(1)))
        .isEqualTo(
            new PullReport.Untried("Job node-pull-1 has not created a pod; check its Events"));
  }

  @Test
  void jobThatRanOutOfTime() {
    assertThat(PullReport.of(Optional.of(job("Job was active too long")), List.of(), SOON))
        .isEqualTo(new PullReport.Failed("Job node-pull-1 failed: Job was active too long"));
  }

  @Test
  void jobThatIsGoneSaysNothing() {
    assertThat(PullReport.of(Optional.empty(), List.of(), SOON)).isEqualTo(new PullReport.Gone());
  }

  private static Pod pod() {
    return aPod("puller").build();
  }

  private static Pod waiting(String reason, String message) {
    return aPod("puller")
        .phase("Pending")
        .status("pull", it -> it.imageId("").waiting(reason, message))
        .build();
  }

  private static Job job(String failure) {
    var job = new JobBuilder().withNewMetadata().withName("node-pull-1").endMetadata();
    return failure == null
        ? job.build()
        : job.withNewStatus()
            .addNewCondition()
            .withType("Failed")
            .withStatus("True")
            .withMessage(failure)
            .endCondition()
            .endStatus()
            .build();
  }
}
