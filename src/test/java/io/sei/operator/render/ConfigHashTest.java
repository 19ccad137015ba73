package io.sei.operator.render;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.sei.operator.api.v1alpha1.ConfigValue;
import io.sei.operator.api.v1alpha1.FullNode;
import io.sei.operator.api.v1alpha1.PeerSource;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.SnapshotGeneration;
import io.sei.operator.testkit.samples.Samples;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ConfigHashTest {

  private static final SeiNodeSpec BASE = Samples.fullNode("sei:a");
  private static final ConfigValue PRUNING =
      new ConfigValue("app.toml", "pruning", TextNode.valueOf("nothing"));
  private static final ConfigValue EMPTY =
      new ConfigValue("app.toml", "a", JsonNodeFactory.instance.arrayNode());
  private static final ConfigValue EMPTY_TABLE =
      new ConfigValue("app.toml", "a", JsonNodeFactory.instance.objectNode());

  /** Running nodes carry this hash: another one would have every node configured again. */
  @Test
  void staysTheSameFromVersionToVersion() {
    assertThat(ConfigHash.of(BASE)).isEqualTo("c1:1d5d296f9033e53b");
  }

  static Stream<SeiNodeSpec> configurations() {
    return Stream.of(
        BASE.withOverrides(Map.of("mempool.size", "10")),
        BASE.withOverrides(Map.of("mempool.size", "11")),
        BASE.withConfigValues(List.of(PRUNING)),
        BASE.withConfigValues(List.of(EMPTY)),
        BASE.withConfigValues(List.of(EMPTY_TABLE)),
        BASE.withExternalAddress("x:1"),
        BASE.withPeers(
            List.of(new PeerSource(null, new PeerSource.StaticPeers(List.of("a@h:1")), null))),
        BASE.withPeers(
            List.of(new PeerSource(null, null, new PeerSource.LabelPeers(Map.of("a", "b"), null)))),
        BASE.withFullNode(
            new FullNode(
                null, new SnapshotGeneration(new SnapshotGeneration.Tendermint(2, null)))));
  }

  @ParameterizedTest
  @MethodSource("configurations")
  void changesWithWhatTheUserAsksOfTheConfiguration(SeiNodeSpec spec) {
    assertThat(ConfigHash.of(spec)).isNotEqualTo(ConfigHash.of(BASE));
    assertThat(configurations().map(ConfigHash::of)).doesNotHaveDuplicates();
  }

  static Stream<SeiNodeSpec> others() {
    return Stream.of(
        BASE.withImage("sei:b"),
        BASE.withPaused(true),
        BASE.withPodLabels(Map.of("a", "b")),
        BASE.withOverrides(Map.of()),
        BASE.withConfigValues(List.of()),
        BASE.withExternalAddress(""),
        BASE.withPeers(List.of()));
  }

  @ParameterizedTest
  @MethodSource("others")
  void staysTheSameForAnythingElse(SeiNodeSpec spec) {
    assertThat(ConfigHash.of(spec)).isEqualTo(ConfigHash.of(BASE));
  }

  @Test
  void isIndifferentToTheOrderOfKeys() {
    var one = new LinkedHashMap<String, String>();
    one.put("a", "1");
    one.put("b", "2");
    var other = new LinkedHashMap<String, String>();
    other.put("b", "2");
    other.put("a", "1");

    assertThat(ConfigHash.of(BASE.withOverrides(one)))
        .isEqualTo(ConfigHash.of(BASE.withOverrides(other)));
    assertThat(ConfigHash.of(BASE.withConfigValues(List.of(PRUNING, EMPTY))))
        .isEqualTo(ConfigHash.of(BASE.withConfigValues(List.of(EMPTY, PRUNING))));
  }

  @Test
  void isIndifferentToTheOrderInWhichParametersAreStored() {
    var json = JsonNodeFactory.instance;
    var one = json.objectNode().set("sources", json.arrayNode().add(pair("a", "b")));
    var other = json.objectNode().set("sources", json.arrayNode().add(pair("b", "a")));

    assertThat(ConfigHash.ofParams(one)).isEqualTo(ConfigHash.ofParams(other));
    assertThat(ConfigHash.ofParams(null)).isNull();
  }

  private static ObjectNode pair(String first, String second) {
    return JsonNodeFactory.instance.objectNode().put(first, "1").put(second, "1");
  }

  @Test
  void knowsItsOwnFormatOnly() {
    assertThat(ConfigHash.isKnownFormat(ConfigHash.of(BASE))).isTrue();
    assertThat(ConfigHash.isKnownFormat("c2:0")).isFalse();
    assertThat(ConfigHash.isKnownFormat(null)).isFalse();
  }
}
