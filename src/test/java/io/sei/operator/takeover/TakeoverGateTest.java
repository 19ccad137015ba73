package io.sei.operator.takeover;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.sei.operator.config.TakeoverConfig;
import io.sei.operator.takeover.TakeoverGate.Suspension;
import java.time.Clock;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Which namespaces are managed while a Go operator may run. */
class TakeoverGateTest {

  private static final String THEIRS = "go-operator";
  private static final String LISTED = "pacific";
  private static final String OTHER = "atlantic";

  private final Map<String, JsonNode> leases = new HashMap<>();
  private final Map<String, Integer> errors = new HashMap<>();
  private final Set<String> asked = new HashSet<>();
  private Instant now = Instant.parse("2026-06-01T12:00:00Z");
  private final TakeoverGate gate = gate(Optional.empty());

  @Test
  void listedNamespacesAreUndecidedUntilTheFirstLook() {
    assertThat(gate.suspension(LISTED)).containsInstanceOf(Suspension.Undecided.class);
    assertThat(gate.suspension(OTHER)).isEmpty();

    gate.look();

    assertThat(gate.suspension(LISTED)).isEmpty();
    assertThat(gate.confirmed()).isEmpty();
    assertThat(asked).containsExactlyInAnyOrder(LISTED, THEIRS);
  }

  @Test
  void aRenewedLeaseHoldsTheListedNamespacesAndNoOther() {
    renew(THEIRS, "1");
    gate.look();
    assertThat(gate.suspension(LISTED)).containsInstanceOf(Suspension.Undecided.class);
    assertThat(gate.confirmed()).isEmpty();

    renew(THEIRS, "2");
    gate.look();

    assertThat(gate.suspension(LISTED))
        .hasValueSatisfying(
            suspension ->
                assertThat(((Suspension.Confirmed) suspension).cause().message())
                    .contains("pod x renews the Lease go-operator/bc1f5b0a.sei.io")
                    .contains("kubectl -n go-operator scale deployment NAME --replicas=0"));
    assertThat(gate.suspension(OTHER)).isEmpty();
    assertThat(gate.confirmed()).containsOnlyKeys(THEIRS);

    now = now.plus(LeaseObserver.EXPIRY);
    gate.look();

    assertThat(gate.suspension(LISTED)).isEmpty();
    assertThat(gate.confirmed()).isEmpty();
  }

  @Test
  void aLeaseThatMayNotBeReadHoldsAndNamesTheRight() {
    errors.put(THEIRS, 403);

    gate.look();

    assertThat(gate.confirmed().get(THEIRS).message())
        .contains("may not read the Lease go-operator/bc1f5b0a.sei.io")
        .contains("get on leases in namespace go-operator");
    assertThat(gate.suspension(LISTED)).containsInstanceOf(Suspension.Confirmed.class);
  }

  @Test
  void whatIsKnownStaysWhileTheApiServerIsAway() {
    errors.put(THEIRS, 503);
    gate.look();
    assertThat(gate.suspension(LISTED)).containsInstanceOf(Suspension.Undecided.class);

    errors.clear();
    renew(THEIRS, "1");
    gate.look();
    renew(THEIRS, "2");
    gate.look();
    errors.put(THEIRS, 503);
    now = now.plus(LeaseObserver.EXPIRY);
    gate.look();

    assertThat(gate.confirmed()).containsOnlyKeys(THEIRS);
  }

  @Test
  void theLeaseThatLeaderElectionTakesIsNotLookedAt() {
    TakeoverGate elected = gate(Optional.of(LISTED));

    elected.look();

    assertThat(asked).containsExactly(THEIRS);
    assertThat(elected.suspension(LISTED)).isEmpty();
  }

  @Test
  void withoutATakeoverNothingIsReadAndNothingHolds() {
    var none =
        new TakeoverGate(this::read, new TakeoverConfig(Set.of()), Optional.empty(), clock());

    assertThat(none.isOpen()).isFalse();
    assertThat(none.mayAdopt(LISTED)).isFalse();
    assertThat(none.suspension(LISTED)).isEmpty();
  }

  private TakeoverGate gate(Optional<String> elected) {
    return new TakeoverGate(
        this::read, new TakeoverConfig(Set.of(LISTED, THEIRS)), elected, clock());
  }

  private JsonNode read(String namespace) {
    asked.add(namespace);
    if (errors.containsKey(namespace)) {
      throw new KubernetesClientException("refused", errors.get(namespace), null);
    }
    return leases.getOrDefault(namespace, MissingNode.getInstance());
  }

  private void renew(String namespace, String version) {
    ObjectNode lease = JsonNodeFactory.instance.objectNode();
    lease.withObject("/metadata").put("resourceVersion", version);
    lease.withObject("/spec").put("holderIdentity", "x_uuid");
    leases.put(namespace, lease);
  }

  private Clock clock() {
    return ((InstantSource) () -> now).withZone(ZoneOffset.UTC);
  }
}
