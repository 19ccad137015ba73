package io.sei.operator.node.feature;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.FullNode;
import io.sei.operator.api.v1alpha1.PeerSource;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.SeiNodeSpecBuilder;
import io.sei.operator.api.v1alpha1.Snapshot;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class WitnessesTest {

  static Stream<Arguments> witnesses() {
    return Stream.of(
        row("no peers", List.of(), List.of()),
        row("static", List.of("a@h1:26656", "b@h2:1"), List.of(), "h1:26657", "h2:26657"),
        row("the same host twice", List.of("a@h:1", "b@h:2"), List.of(), "h:26657"),
        row(
            "nodes of the cluster first",
            List.of("a@h:1"),
            List.of("n:26657"),
            "n:26657",
            "h:26657"),
        row("no address at all", List.of("not a peer", "@:1", "a@h"), List.of()),
        row("IPv6", List.of("a@[::1]:26656"), List.of(), "[::1]:26657"),
        row(
            "no more than four",
            List.of("a@1:1", "b@2:1", "c@3:1", "d@4:1", "e@5:1"),
            List.of(),
            "1:26657",
            "2:26657",
            "3:26657",
            "4:26657"));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("witnesses")
  void areTwoThatDifferOrFewer(
      String name, List<String> addresses, List<String> ready, List<String> expected) {
    PeerResolution peers = new PeerResolution(List.of(), List.of(), List.of(), ready);

    assertThat(Witnesses.of(spec(addresses), peers)).isEqualTo(expected);
  }

  @Test
  void overrideTakesThePlaceOfSources() {
    SeiNodeSpec spec =
        spec(List.of("a@h1:1", "b@h2:1")).withOverrides(Map.of(PeerSources.KEY, "c@h3:1,d@h4:1"));

    assertThat(Witnesses.of(spec, PeerResolution.NONE)).containsExactly("h3:26657", "h4:26657");
  }

  @Test
  void thoseThatTheSpecNamesAreTakenAsTheyStandWhateverThePeersAre() {
    List<String> named = List.of("a:443", "b:26657", "c:1", "d:1", "e:1");
    var snapshot = new Snapshot(null, new Snapshot.StateSync(), null, null, null, named);
    var tags = new PeerSource(new PeerSource.Ec2Tags("eu-1", Map.of("a", "b")), null, null);
    SeiNodeSpec spec =
        spec(List.of()).withPeers(List.of(tags)).withFullNode(new FullNode(snapshot, null));
    var ready = new PeerResolution(List.of(), List.of(), List.of(), List.of("n:26657"));

    assertThat(Witnesses.areKnown(spec)).isTrue();
    assertThat(Witnesses.of(spec, ready)).isEqualTo(named);
    assertThat(Witnesses.missing(spec, ready)).isEmpty();
  }

  @Test
  void whatTagsComeToOnlyTheSidecarKnows() {
    var tags = new PeerSource(new PeerSource.Ec2Tags("eu-1", Map.of("a", "b")), null, null);

    assertThat(Witnesses.areKnown(spec(List.of("a@h:1")))).isTrue();
    assertThat(Witnesses.areKnown(spec(List.of()).withPeers(List.of(tags)))).isFalse();
  }

  private static SeiNodeSpec spec(List<String> addresses) {
    var peers = new PeerSource(null, new PeerSource.StaticPeers(addresses), null);
    return SeiNodeSpecBuilder.builder().peers(List.of(peers)).build();
  }

  private static Arguments row(
      String name, List<String> addresses, List<String> ready, String... expected) {
    return Arguments.of(name, addresses, ready, List.of(expected));
  }
}
