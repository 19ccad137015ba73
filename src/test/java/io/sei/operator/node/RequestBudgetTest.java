package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.testkit.RequestLog;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What one rollout asks of the API server. The aim is 10, with events; never raise this. */
class RequestBudgetTest extends RolloutTestCase {

  private static final int MOST_REQUESTS = 13;
  private static final int MOST_EVENTS = 2;

  @Test
  void rolloutOfAnImageIsCheap() {
    createRunning();
    eventually(() -> assertThat(occurrences("PlanComplete")).isEqualTo(1));
    operator.requests().clear();

    setImage(B);

    awaitUpToDate(B);
    eventually(() -> assertThat(occurrences("PlanComplete")).isEqualTo(2));
    List<RequestLog.Request> spent = operator.requests().matching(request -> !request.isAside());
    assertThat(spent).hasSizeLessThanOrEqualTo(MOST_REQUESTS);
    assertThat(operator.requests().matching(RequestLog.Request::isAside))
        .hasSizeLessThanOrEqualTo(MOST_EVENTS);
  }
}
