package io.sei.operator.sidecar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sei.operator.sidecar.TaskSubmitter.Submission;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class TaskSubmitterTest {

  private static final SidecarTask KNOWN =
      new SidecarTask("id", "gov-vote", SidecarTask.Status.RUNNING, 1, "", Map.of());

  private final List<String> calls = new ArrayList<>();
  private Optional<SidecarTask> known = Optional.empty();
  private Optional<String> failing = Optional.empty();

  @Test
  void aRepeatableTaskIsSubmittedAsOftenAsItIsMissing() {
    assertThat(submitter().repeatable(Optional::isEmpty)).isInstanceOf(Submission.Accepted.class);
    assertThat(submitter().repeatable(Optional::isEmpty)).isInstanceOf(Submission.Accepted.class);
    known = Optional.of(KNOWN);
    assertThat(submitter().repeatable(Optional::isEmpty)).isEqualTo(new Submission.None(known));

    assertThat(calls)
        .containsExactly("lookup", "record", "submit", "lookup", "record", "submit", "lookup");
  }

  @Test
  void aTaskIsRecordedBeforeItIsSubmittedAndNotSubmittedAfterwards() {
    assertThat(submitter().atMostOnce(false)).isInstanceOf(Submission.Accepted.class);
    assertThat(submitter().atMostOnce(true)).isEqualTo(new Submission.None(Optional.empty()));

    assertThat(calls).containsExactly("lookup", "record", "submit", "lookup");
  }

  @Test
  void aTaskThatTheSidecarKnowsIsNotSubmittedThoughItsRecordIsLost() {
    known = Optional.of(KNOWN);

    assertThat(submitter().atMostOnce(false)).isEqualTo(new Submission.None(known));
    assertThat(calls).containsExactly("lookup");
  }

  @Test
  void nothingIsRecordedWhereTheSidecarCannotBeAsked() {
    failing = Optional.of("lookup");

    assertThatThrownBy(() -> submitter().atMostOnce(false)).isInstanceOf(SidecarException.class);
    assertThat(calls).containsExactly("lookup");
  }

  @Test
  void aSubmissionWithoutAnAnswerIsNoFailedLookup() {
    failing = Optional.of("submit");

    assertThat(submitter().atMostOnce(false)).isInstanceOf(Submission.Failed.class);
    assertThat(submitter().repeatable(Optional::isEmpty)).isInstanceOf(Submission.Failed.class);
  }

  private TaskSubmitter submitter() {
    var client =
        (SidecarClient)
            Proxy.newProxyInstance(
                SidecarClient.class.getClassLoader(),
                new Class<?>[] {SidecarClient.class},
                (_, method, _) -> answer(method.getName()));
    return new TaskSubmitter(client, null, "id", "gov-vote", null, () -> calls.add("record"));
  }

  private Object answer(String call) {
    calls.add(call);
    if (failing.filter(call::equals).isPresent()) {
      throw new SidecarException(SidecarException.Kind.UNREACHABLE, "no answer");
    }
    return call.equals("lookup") ? known : null;
  }
}
