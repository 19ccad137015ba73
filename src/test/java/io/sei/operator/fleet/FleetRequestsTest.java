package io.sei.operator.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import org.junit.jupiter.api.Test;

/** What a fleet's rollout asks of the API server. */
class FleetRequestsTest extends FleetTestCase {

  /** The plan, perhaps the new pod, its images, and seid Ready. */
  private static final int STATUS_WRITES = 3;

  private static final int ROLLOUTS = 5;

  @Test
  void eachHeadlessServiceIsPatchedOnceInARollout() {
    createReady(2);
    operator.requests().clear();

    setImage(B);

    awaitUpToDate(2, B);
    for (int ordinal = 0; ordinal < 2; ordinal++) {
      String service = "/services/" + FLEET + "-" + ordinal;
      assertThat(
              operator
                  .requests()
                  .matching(
                      request ->
                          request.method().equals("PATCH") && request.path().contains(service)))
          .hasSize(1);
    }
  }

  /** That a node has caught up is written together with that it is Ready. */
  @Test
  void aRolloutWritesTheStatusOfItsNodesNoMoreOftenThanThatOfOthers() {
    createReady(2);
    var writes = new ArrayList<Integer>();
    for (int i = 0; i < ROLLOUTS && writes.stream().noneMatch(it -> it <= STATUS_WRITES); i++) {
      operator.requests().clear();
      setImage("sei:r" + i);
      awaitUpToDate(2, "sei:r" + i);
      writes.add(statusWrites(0));
    }

    assertThat(writes).as("of fleet-0, in each rollout").anyMatch(it -> it <= STATUS_WRITES);
    assertThat(node(0).getStatus().seid().caughtUpAt()).isNotNull();
  }

  private int statusWrites(int ordinal) {
    String path = "/seinodes/%s-%d/status".formatted(FLEET, ordinal);
    return operator
        .requests()
        .matching(request -> request.isWrite() && request.path().endsWith(path))
        .size();
  }
}
