package io.sei.operator.fleet.genesis;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.sei.operator.testkit.samples.Samples;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CeremonyRunTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      nullValues = "none",
      value = {
        "none; none; Running[words= runs]",
        "none; {}; Running[words= runs]",
        "none; {waiting: {reason: ErrImagePull, message: not found}}; Running[words= waits: ErrImagePull: not found]",
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
                it ->
                    Samples.yaml(
                        Pod.class,
                        "{metadata: {}, status: {containerStatuses: [{state: %s}]}}",
                        it));

    assertThat(CeremonyRun.of(job, pod)).hasToString(expected);
  }
}
