package io.sei.operator.takeover;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.json.JsonMapper;
import io.sei.operator.takeover.PredecessorLease.Holder;
import java.io.IOException;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which Leases say that an operator runs, and which one. */
class PredecessorLeaseTest {

  private static final Instant NOW = Instant.parse("2026-06-01T12:00:00Z");

  @ParameterizedTest(name = "{0} renewed at {1} for {2} s by {3}: {4} {5}")
  @CsvSource({
    "controller-6d5f-x_0b1c, 2026-06-01T11:59:50.000001Z, 15, manager,      controller-6d5f-x, true",
    "controller-6d5f-x_0b1c, 2026-06-01T11:59:50.000001Z, 15, other-binary, controller-6d5f-x, true",
    "laptop,                 2026-06-01T11:59:50.000001Z, 15, manager,      laptop, true",
    "controller-6d5f-x_0b1c, 2026-06-01T11:59:50.000001Z, 15, sei-operator, controller-6d5f-x, false",
    "controller-6d5f-x_0b1c, 2026-06-01T11:59:40.000000Z, 15, manager,      , ",
    "'',                     2026-06-01T11:59:59.000001Z,  1, manager,      , ",
    "controller-6d5f-x_0b1c, '',                          15, manager,      , ",
  })
  void holder(
      String identity, String renewed, int seconds, String by, String holder, Boolean predecessor)
      throws IOException {
    String lease =
        """
        {'metadata':{'namespace':'sei','managedFields':[
          {'manager':'kubectl','fieldsV1':{'f:spec':{'f:leaseDurationSeconds':{}}}},
          {'manager':'%s','fieldsV1':{'f:spec':{'f:holderIdentity':{},'f:renewTime':{}}}}]},
         'spec':{'holderIdentity':'%s','renewTime':'%s','leaseDurationSeconds':%d}}"""
            .formatted(by, identity, renewed, seconds);

    assertThat(PredecessorLease.holder(new JsonMapper().readTree(lease.replace('\'', '"')), NOW))
        .isEqualTo(Optional.ofNullable(holder).map(pod -> new Holder("sei", pod, predecessor)));
  }
}
