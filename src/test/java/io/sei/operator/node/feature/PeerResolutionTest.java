package io.sei.operator.node.feature;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.node.feature.PeerResolution.Peer;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class PeerResolutionTest {

  private static final Peer A =
      new Peer("a:1", Optional.of("id-a"), true, Optional.of("a.rpc:1"), true);
  private static final Peer B =
      new Peer("b:1", Optional.of("id-b"), true, Optional.of("b.rpc:1"), false);
  private static final Peer STARTING =
      new Peer("c:1", Optional.empty(), true, Optional.of("c.rpc:1"), true);
  private static final Peer STOPPED =
      new Peer("d:1", Optional.empty(), false, Optional.of("d.rpc:1"), false);

  static Stream<Arguments> resolutions() {
    return Stream.of(
        row("nobody", List.of(), List.of(), List.of(), List.of()),
        row("sorted", List.of(B, A), List.of(), List.of("id-a@a:1", "id-b@b:1"), List.of()),
        row("selected twice", List.of(A, A), List.of(), List.of("id-a@a:1"), List.of()),
        row("not known yet", List.of(A, STARTING), List.of(), List.of("id-a@a:1"), List.of("c:1")),
        row("stopped", List.of(STOPPED), List.of(), List.of(), List.of()),
        row(
            "known from before",
            List.of(STARTING, STOPPED),
            List.of("id-c@c:1", "id-d@d:1", "id-e@e:1"),
            List.of("id-c@c:1", "id-d@d:1"),
            List.of()),
        row("another identity", List.of(A), List.of("old@a:1"), List.of("id-a@a:1"), List.of()));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("resolutions")
  void resolves(
      String name,
      List<Peer> peers,
      List<String> known,
      List<String> addresses,
      List<String> missing) {
    PeerResolution resolution = PeerResolution.of(peers, known);

    assertThat(resolution.addresses()).isEqualTo(addresses);
    assertThat(resolution.missing()).isEqualTo(missing);
  }

  @Test
  void witnessesAreThePeersThatAreReadyWhetherTheirIdentityIsKnownOrNot() {
    PeerResolution resolution = PeerResolution.of(List.of(STARTING, B, A, STOPPED), List.of());

    assertThat(resolution.witnesses()).containsExactly("a.rpc:1", "c.rpc:1");
    assertThat(resolution.ready()).containsExactly("id-a@a:1");
  }

  private static Arguments row(
      String name,
      List<Peer> peers,
      List<String> known,
      List<String> addresses,
      List<String> missing) {
    return Arguments.of(name, peers, known, addresses, missing);
  }
}
