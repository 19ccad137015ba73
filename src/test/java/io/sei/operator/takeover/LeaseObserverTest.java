package io.sei.operator.takeover;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sei.operator.takeover.LeaseObserver.State;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Decides by a sequence of observations of a Lease whether its holder is alive. */
class LeaseObserverTest {

  private static final Instant START = Instant.parse("2026-06-01T12:00:00Z");

  private final LeaseObserver observer = new LeaseObserver();

  /** A look is SECONDS:VERSION, a version of - is a Lease without a holder, of ? no Lease. */
  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource({
    "0:?,                         FREE",
    "0:-,                         FREE",
    "0:1,                         UNDECIDED",
    "0:1 14:1,                    UNDECIDED",
    "0:1 15:1,                    FREE",
    "0:1 5:2,                     RENEWED",
    "0:1 5:2 19:2,                RENEWED",
    "0:1 5:2 20:2,                FREE",
    "0:1 15:1 20:2,               RENEWED",
    "0:1 15:1 600:1,              FREE",
    // A process that was suspended, while the holder went on.
    "0:1 600:2,                   RENEWED",
    "0:1 5:2 6:-,                 FREE",
    "0:1 5:2 6:?,                 FREE",
    "0:1 5:2 6:? 7:3,             UNDECIDED",
  })
  void onlyChangesThatWereSeenCount(String looks, State expected) {
    State last = null;
    for (String look : looks.split(" ")) {
      String[] parts = look.split(":");
      last = observer.observe("sei", lease(parts[1]), START.plusSeconds(Long.parseLong(parts[0])));
    }
    assertThat(last).isEqualTo(expected);
  }

  @Test
  void theTimesThatALeaseClaimsAreNotUsed() {
    ObjectNode lease = lease("1");
    lease
        .withObject("/spec")
        .put("renewTime", "2099-01-01T00:00:00.000000Z")
        .put("leaseDurationSeconds", Integer.MAX_VALUE);

    observer.observe("sei", lease, START);

    assertThat(observer.observe("sei", lease, START.plus(LeaseObserver.EXPIRY)))
        .isEqualTo(State.FREE);
  }

  @Test
  void aLeaseThatCameBackIsObservedAnew() {
    observer.observe("sei", lease("1"), START);
    observer.retain(List.of("other"));

    assertThat(observer.observe("sei", lease("2"), START.plusSeconds(1)))
        .isEqualTo(State.UNDECIDED);
  }

  @Test
  void theHolderIsAPodWithAUuid() {
    ObjectNode lease = lease("1");
    lease.withObject("/spec").put("holderIdentity", "controller_6d5f-x2x7k_0b1c-99");

    assertThat(LeaseObserver.pod(lease)).isEqualTo("controller_6d5f-x2x7k");
    assertThat(LeaseObserver.pod(MissingNode.getInstance())).isEmpty();
  }

  private static ObjectNode lease(String version) {
    ObjectNode lease = JsonNodeFactory.instance.objectNode();
    if (!version.equals("?")) {
      lease.withObject("/metadata").put("resourceVersion", version);
      lease.withObject("/spec").put("holderIdentity", version.equals("-") ? "" : "pod_uuid");
    }
    return lease;
  }
}
