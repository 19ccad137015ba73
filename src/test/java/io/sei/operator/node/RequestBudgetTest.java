package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.testkit.RequestLog;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What one rollout asks of the API server, events included, watches and leases aside. */
class RequestBudgetTest extends RolloutTestCase {

  private static final int BUDGET = 8;
  private static final int STATUS_WRITES = 3;

  /** On a busy machine a rollout is observed in more steps, each of which is written down. */
  private static final int ROLLOUTS = 5;

  @Test
  void rolloutOfAnImageIsCheap() {
    createRunning();
    eventually(() -> assertThat(occurrences("PlanComplete")).isEqualTo(1));
    var costs = new ArrayList<List<RequestLog.Request>>();
    for (int i = 0; i < ROLLOUTS && costs.stream().noneMatch(this::isWithinBudget); i++) {
      costs.add(roll("sei:r" + i, i + 2));
    }

    assertThat(costs).anyMatch(this::isWithinBudget);
  }

  private List<RequestLog.Request> roll(String image, int plans) {
    operator.requests().clear();

    setImage(image);

    awaitUpToDate(image);
    eventually(() -> assertThat(occurrences("PlanComplete")).isEqualTo(plans));
    assertThat(requests("PATCH", "/statefulsets/")).hasSize(1);
    assertThat(requests("PATCH", "/services/")).isEmpty();
    assertThat(podDeletes()).isEqualTo(1);
    assertThat(operator.requests().matching(RequestLog.Request::isAside)).hasSize(1);
    return operator.requests().all();
  }

  private boolean isWithinBudget(List<RequestLog.Request> requests) {
    long statusWrites = requests.stream().filter(it -> it.path().endsWith("/status")).count();
    return requests.size() <= BUDGET && statusWrites <= STATUS_WRITES;
  }
}
