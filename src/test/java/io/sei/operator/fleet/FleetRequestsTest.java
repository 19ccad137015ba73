package io.sei.operator.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import org.junit.jupiter.api.Test;

/** What a fleet's rollout asks of the API server. */
class FleetRequestsTest extends FleetTestCase {

  /** The plan, perhaps the new pod, its images, and seid Ready. */
  private static final int STATUS_WRITES = 3;

  private static final int ROLLOUTS = 5;

  /** That a node has caught up is written together with that it is Ready. */
  @Test
  void aRolloutPatchesEachServiceOnceAndWritesAStatusNoMoreOftenThanThatOfOthers() {
    createReady(2);
    var writes = new ArrayList<Integer>();
    for (int i = 0; i < ROLLOUTS && writes.stream().noneMatch(it -> it <= STATUS_WRITES); i++) {
      operator.requests().clear();
      setImage("sei:r" + i);
      awaitUpToDate(2, "sei:r" + i);
      writes.add(statusWrites(0));
      assertThat(servicePatches(0)).isEqualTo(1);
      assertThat(servicePatches(1)).isEqualTo(1);
    }

    assertThat(writes).as("of fleet-0, in each rollout").anyMatch(it -> it <= STATUS_WRITES);
    assertThat(node(0).getStatus().seid().caughtUpAt()).isNotNull();
  }

  private int servicePatches(int ordinal) {
    String service = "/services/%s-%d".formatted(FLEET, ordinal);
    return operator
        .requests()
        .matching(request -> request.method().equals("PATCH") && request.path().contains(service))
        .size();
  }

  private int statusWrites(int ordinal) {
    String path = "/seinodes/%s-%d/status".formatted(FLEET, ordinal);
    return operator
        .requests()
        .matching(request -> request.isWrite() && request.path().endsWith(path))
        .size();
  }
}
