package io.sei.operator.fleet.genesis;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.sei.operator.testkit.samples.Samples;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CeremonyRunTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      nullValues = "none",
      value = {
        "none; none; 'Running[words= waits for its pod, which the Job controller creates]'",
        "none; {}; Running[words= waits for its pod to start on kube-1]",
        "none; {waiting: {reason: ContainerCreating}}; Running[words= waits for its pod to start on"
            + " kube-1]",
        "none; {running: {}}; Running[words= runs on kube-1]",
        "none; {waiting: {reason: ErrImagePull, message: not found}}; Running[words= waits:"
            + " ErrImagePull: not found]",
        "Complete; none; Lost[]",
        "Failed; none; Failed[why=by the controller]",
        "Failed; {terminated: {exitCode: 1}}; Failed[why=by the controller]",
        "Failed; {terminated: {exitCode: 1, message: by seid}}; Failed[why=by seid]",
      })
  void saysHowFarAJobIs(String condition, String state, String expected) {
    String conditions =
        condition == null
            ? ""
            : "{type: %s, status: \"True\", message: by the controller}".formatted(condition);
    Job job = Samples.yaml(Job.class, "{status: {conditions: [%s]}}", conditions);
    Optional<Pod> pod =
        Optional.ofNullable(state)
            .map(
                text ->
                    Samples.yaml(
                        Pod.class,
                        "{metadata: {}, spec: {nodeName: kube-1}, status: {containerStatuses:"
                            + " [{state: %s}]}}",
                        text));

    assertThat(CeremonyRun.of(job, pod)).hasToString(expected);
  }

  @Test
  void containerThatHasEndedWellIsReadBeforeItsPodAndTheJobHaveSucceeded() {
    Job job = Samples.yaml(Job.class, "{status: {conditions: []}}");
    Pod done = pod("{}", "Running", "{name: genesis, state: {terminated: {exitCode: 0}}}");
    Pod injected =
        pod(
            "{}",
            "Running",
            "{name: proxy, state: {terminated: {exitCode: 0}}}, {name: genesis, state: {running: {}}}");
    Pod going =
        pod(
            "{deletionTimestamp: '2026-01-01T00:00:00Z'}",
            "Succeeded",
            "{name: genesis, state: {terminated: {exitCode: 0}}}");
    Job failed =
        Samples.yaml(
            Job.class, "{status: {conditions: [{type: Failed, status: 'True', message: late}]}}");

    assertThat(CeremonyRun.of(job, Optional.of(done))).isEqualTo(new CeremonyRun.Done(done));
    assertThat(CeremonyRun.of(job, Optional.of(injected))).isInstanceOf(CeremonyRun.Running.class);
    assertThat(CeremonyRun.of(job, Optional.of(going))).isInstanceOf(CeremonyRun.Running.class);
    assertThat(CeremonyRun.of(failed, Optional.of(done))).hasToString("Failed[why=late]");
  }

  private static Pod pod(String metadata, String phase, String statuses) {
    return Samples.yaml(
        Pod.class,
        "{metadata: %s, spec: {}, status: {phase: %s, containerStatuses: [%s]}}"
            .formatted(metadata, phase, statuses));
  }

  /** A Job without retries fails once its pod is deleted, or its machine gives that up. */
  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      nullValues = "none",
      value = {
        "BackoffLimitExceeded; none; Lost[]",
        "BackoffLimitExceeded; True; Lost[]",
        "BackoffLimitExceeded; False; Failed[why=late]",
        "DeadlineExceeded; none; Failed[why=late]",
        "DeadlineExceeded; True; Failed[why=late]",
      })
  void podThatIsEvictedIsMadeAgain(String reason, String disruption, String expected) {
    Job job =
        Samples.yaml(
            Job.class,
            "{status: {conditions: [{type: Failed, status: 'True', reason: %s, message: late}]}}",
            reason);
    Optional<Pod> pod =
        Optional.ofNullable(disruption)
            .map(
                status ->
                    Samples.yaml(
                        Pod.class,
                        "{metadata: {}, spec: {}, status: {phase: Failed, conditions:"
                            + " [{type: DisruptionTarget, status: '%s'}]}}",
                        status));

    assertThat(CeremonyRun.of(job, pod)).hasToString(expected);
  }

  @Test
  void refusalOfThePodIsNamedInTheWordsOfTheJobController() {
    String quota = "Error creating: pods \"net-genesis-x\" is forbidden: exceeded quota: compute";
    Event refused =
        Samples.yaml(
            Event.class,
            "{involvedObject: {kind: Job}, reason: FailedCreate, lastTimestamp:"
                + " '2026-01-01T00:00:01Z', message: '%s'}",
            quota);
    Event created =
        Samples.yaml(
            Event.class,
            "{involvedObject: {kind: Job}, reason: SuccessfulCreate, lastTimestamp:"
                + " '2026-01-01T00:00:02Z', message: created}");

    assertThat(CeremonyRun.refusal(List.of(refused), Instant.EPOCH)).isEqualTo(": " + quota);
    assertThat(CeremonyRun.refusal(List.of(refused, created), Instant.EPOCH)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "secrets is forbidden: User \"o\" cannot create resource \"secrets\" | rbac.createKeys",
        "secrets \"k\" is forbidden: exceeded quota: objects | raise the quota",
        "admission webhook \"w\" denied the request: no | fix the policy",
      })
  void aRefusedSecretHasTheAdviceForItsCause(String words, String advice) {
    assertThat(ChainGenesis.afterRefusal(words)).contains(advice);
  }

  @Test
  void waitForAKubernetesNodeIsNamed() {
    Job job = Samples.yaml(Job.class, "{status: {conditions: []}}");
    Pod pending = Samples.yaml(Pod.class, "{metadata: {}, spec: {}, status: {}}");
    Pod unschedulable =
        Samples.yaml(
            Pod.class,
            "{metadata: {}, spec: {}, status: {conditions: [{type: PodScheduled, status: 'False',"
                + " reason: Unschedulable, message: 0/3 nodes are available}]}}");

    assertThat(CeremonyRun.of(job, Optional.of(pending)))
        .hasToString("Running[words= waits for a Kubernetes node for its pod]");
    assertThat(CeremonyRun.of(job, Optional.of(unschedulable)))
        .hasToString("Running[words= waits: Unschedulable: 0/3 nodes are available]");
  }

  @ParameterizedTest
  @CsvSource({
    "2026-01-01T00:00:00Z, , 2026-01-01T00:14:59Z, false",
    "2026-01-01T00:00:00Z, , 2026-01-01T00:15:00Z, true",
    // A Job that is deleted to try again has as long to go.
    "2026-01-01T00:00:00Z, 2026-01-01T01:00:00Z, 2026-01-01T01:00:01Z, false",
    "2026-01-01T00:00:00Z, 2026-01-01T01:00:00Z, 2026-01-01T01:15:00Z, true",
    ", , 2026-01-01T00:15:00Z, false",
  })
  void isOverdueOnceItTakesLongerThanItMay(
      String created, String deleted, Instant now, boolean expected) {
    var job = new Job();
    job.setMetadata(
        new ObjectMetaBuilder()
            .withCreationTimestamp(created)
            .withDeletionTimestamp(deleted)
            .build());

    assertThat(CeremonyRun.isOverdue(job, Duration.ofMinutes(15), now)).isEqualTo(expected);
  }
}
