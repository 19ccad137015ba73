package io.sei.operator.render;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import io.sei.operator.api.v1alpha1.SeiNode;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LabelsTest {

  @Test
  void everyObjectSaysWhoseItIs() {
    assertThat(Labels.of(Nodes.node(Nodes.validator())))
        .containsExactly(
            entry("sei.io/chain", "pacific-1"),
            entry("sei.io/node", "pacific-rpc-0"),
            entry("sei.io/role", "validator"));
  }

  @Test
  void podLabelsAreAddedButDoNotReplaceTheOperatorsOwn() {
    var podLabels =
        Map.of(
            "team", "rpc",
            "sei.io/node", "another",
            "sei.io/chain", "another",
            "sei.io/role", "another",
            "sei.io/revision", "7d9f");

    assertThat(Labels.of(Nodes.node(Nodes.full().with(builder -> builder.podLabels(podLabels)))))
        .containsExactly(
            entry("sei.io/chain", "pacific-1"),
            entry("sei.io/node", "pacific-rpc-0"),
            entry("sei.io/revision", "7d9f"),
            entry("sei.io/role", "node"),
            entry("team", "rpc"));
  }

  @Test
  void aNodeWithoutAFleetLacksChainAndRoleUnlessItHasThem() {
    SeiNode node = Nodes.node(Nodes.validator());
    assertThat(Labels.missing(node))
        .containsExactly(entry("sei.io/chain", "pacific-1"), entry("sei.io/role", "validator"));

    node.getMetadata().setLabels(Map.of("sei.io/chain", "pacific-1", "sei.io/role", "mine"));
    assertThat(Labels.missing(node)).isEmpty();
    node.getMetadata().setLabels(Map.of("sei.io/nodedeployment", "fleet"));
    assertThat(Labels.missing(node)).isEmpty();
  }

  @Test
  void podsAreSelectedByWhatNeverChanges() {
    assertThat(Labels.selector("pacific-rpc-0"))
        .containsExactly(entry("sei.io/node", "pacific-rpc-0"));
  }
}
