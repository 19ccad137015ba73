package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.testkit.RequestLog;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * Counts the requests of one rollout to the API server, events included, watches and leases aside,
 * and the reconciles of the node.
 */
class RequestBudgetTest extends RolloutTestCase {

  private static final int BUDGET = 8;
  private static final int STATUS_WRITES = 3;

  /**
   * The edit, the revision, perhaps the new pod, its images, and seid Ready. Changes that come
   * while a reconcile runs make one more together, so a busy machine, where they come further
   * apart, needs more of them: 15 rollouts took 4, 5 or, once, 6, and eight requests each.
   */
  private static final int RECONCILES = 6;

  private static final int ROLLOUTS = 5;

  @Test
  void rolloutOfAnImageIsCheap() {
    createRunning();
    eventually(() -> assertThat(occurrences("PlanComplete")).isEqualTo(1));
    var costs = new ArrayList<Cost>();
    for (int i = 0; i < ROLLOUTS && costs.stream().noneMatch(Cost::isWithinBudget); i++) {
      costs.add(roll("sei:r" + i, i + 2));
    }

    assertThat(costs).anyMatch(Cost::isWithinBudget);
  }

  /**
   * @param delays number of status writes that a step in progress could add meanwhile
   * @param delays how often a step that goes on could be written by itself meanwhile
   */
  private record Cost(List<RequestLog.Request> requests, double reconciles, long delays) {

    boolean isWithinBudget() {
      long statusWrites = requests.stream().filter(Cost::isOfStatus).count();
      // A pod that is Ready only after the plan's end takes one more.
      long more = delays + (isOfStatus(requests.get(requests.size() - 1)) ? 1 : 0);
      return requests.size() <= BUDGET + more
          && statusWrites <= STATUS_WRITES + more
          && reconciles <= RECONCILES + more;
    }

    private static boolean isOfStatus(RequestLog.Request request) {
      return request.path().endsWith("/status");
    }
  }

  private Cost roll(String image, int plans) {
    operator.requests().clear();
    double before = reconciles();
    assertThat(before).isPositive();
    long begin = System.nanoTime();

    setImage(image);

    awaitUpToDate(image);
    eventually(() -> assertThat(occurrences("PlanComplete")).isEqualTo(plans));
    assertThat(requests("PATCH", "/statefulsets/")).hasSize(1);
    assertThat(requests("PATCH", "/services/")).isEmpty();
    assertThat(podDeletes()).isEqualTo(1);
    assertThat(operator.requests().matching(RequestLog.Request::isAside)).hasSize(1);
    return new Cost(
        operator.requests().all(),
        reconciles() - before,
        TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begin) / 3);
  }

  private double reconciles() {
    return operator
        .scrape()
        .lines()
        .filter(line -> line.startsWith("operator_sdk_reconciliations_started_total{"))
        .filter(line -> line.contains("kind=\"SeiNode\""))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' '))))
        .sum();
  }
}
