package io.sei.operator.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What a fleet's rollout asks of the API server. */
class FleetRequestsTest extends FleetTestCase {

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
}
