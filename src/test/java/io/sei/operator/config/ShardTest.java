package io.sei.operator.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class ShardTest {

  private static final List<String> NAMESPACES =
      IntStream.range(0, 300).mapToObj(i -> "team-" + i).toList();

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 16})
  void everyNamespaceHasOneShardAndNoShardMuchMoreThanItsPart(int count) {
    List<Shard> shards = IntStream.range(0, count).mapToObj(i -> new Shard(i, count)).toList();

    assertThat(NAMESPACES)
        .allSatisfy(text -> assertThat(shards).filteredOn(shard -> shard.owns(text)).hasSize(1));
    assertThat(shards)
        .allSatisfy(
            shard ->
                assertThat(NAMESPACES.stream().filter(shard::owns).count())
                    .isLessThan(2 * NAMESPACES.size() / count + 1));
  }

  /** Why the checksum needs no secret salt: decision 85. */
  @ParameterizedTest
  @CsvSource({"3, 30", "16, 160"})
  void namesChosenWithoutKnowingTheChecksumAreInEveryShardToo(int count, int names) {
    List<String> guesses = IntStream.range(0, names).mapToObj(i -> "guess-" + i).toList();

    assertThat(IntStream.range(0, count).mapToObj(i -> new Shard(i, count)))
        .allSatisfy(shard -> assertThat(guesses).anyMatch(shard::owns));
  }

  /** People find the shard of a namespace by it, and a new version must not divide otherwise. */
  @ParameterizedTest
  @CsvSource({"sei, 1", "pacific-1, 2", "default, 1"})
  void shardIsTheCrc32OfTheName(String namespace, int index) {
    assertThat(new Shard(index, 3).owns(namespace)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"3/3", "0/0", "0/17", "-1/3", "1", "a/b", "0/3/1", " 0/3", ""})
  void textThatNamesNoShardIsRefused(String text) {
    assertThat(Shard.of(text)).isEmpty();
  }

  static Stream<Map<String, String>> contradictions() {
    return Stream.of(
        Map.of("SEI_SHARD", "1/3", "SEI_WATCH_NAMESPACES", "a"),
        Map.of("SEI_SHARD", "1/3", "SEI_LEADER_ELECTION", "false"));
  }

  @ParameterizedTest
  @MethodSource("contradictions")
  void shardIsRefusedWhereNothingKeepsOthersAway(Map<String, String> environment) {
    assertThatThrownBy(() -> OperatorConfig.fromEnvironment(environment))
        .isInstanceOf(ConfigException.class)
        .hasMessageStartingWith("SEI_SHARD=\"1/3\": must be 0/1 where SEI_");
  }

  @Test
  void replicasOfAShardHaveALeaseOfTheirOwn() {
    var config = OperatorConfig.fromEnvironment(Map.of("SEI_SHARD", "1/3"));

    assertThat(config.leaderElection().of(config.process().shard()).leaseName())
        .isEqualTo("bc1f5b0a.sei.io-1");
    assertThat(config.leaderElection().of(new Shard(0, 1))).isEqualTo(config.leaderElection());
  }
}
