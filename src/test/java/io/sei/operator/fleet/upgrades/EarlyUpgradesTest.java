package io.sei.operator.fleet.upgrades;

import static io.sei.operator.fleet.SnapshotBuilder.A;
import static io.sei.operator.fleet.SnapshotBuilder.unready;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.IntOrString;
import io.sei.operator.api.v1alpha1.NodeTemplate;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentSpec;
import io.sei.operator.api.v1alpha1.SeidRun;
import io.sei.operator.api.v1alpha1.UpdateStrategy;
import io.sei.operator.api.v1alpha1.UpdateStrategy.InPlace;
import io.sei.operator.api.v1alpha1.Upgrade;
import io.sei.operator.api.v1alpha1.UpgradeState;
import io.sei.operator.api.v1alpha1.UpgradeStatus;
import io.sei.operator.fleet.Fleets;
import io.sei.operator.fleet.SnapshotBuilder;
import io.sei.operator.fleet.model.FleetNode;
import io.sei.operator.fleet.model.FleetView;
import io.sei.operator.fleet.rollout.RolloutPolicy;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A fleet of three whose template lists v2 early; nodes are told apart by letters. */
class EarlyUpgradesTest {

  private static final Upgrade V2 = new Upgrade("v2", 100L, "sei:v2", true);
  private static final Upgrade V3 = new Upgrade("v3", 200L, "sei:v3", true);

  /**
   * w: waits; a: admitted; s: switches; n: Ready for nine seconds; d: done; u: unready; o:
   * outdated; b: went back; p: paused; h: held; e: never Ready; t: terminating.
   */
  @ParameterizedTest(name = "{0}: {1}, {2} at once: {3}")
  @CsvSource({
    "the highest ordinal first,            w w w, 1, 2",
    "as many as may be unavailable,        w w w, 2, 1 2",
    "no other before it is through,        w w a, 1, 2",
    "while it switches,                    w w s, 1, 2",
    "while it may yet crash,               w w n, 1, 2",
    "and then the next,                    w w d, 1, 1 2",
    "none while another node is down,      u w w, 1, ''",
    "two may be down and one is,           u w w, 2, 2",
    "a node that is outdated waits,        w w o, 1, 1",
    "all of them at last,                  d d d, 1, 0 1 2",
    "none after one that came too early,   w w b, 1, ''",
    "a paused node uses no budget,         w w p, 1, 1",
    "nor does a held one,                  w w h, 1, 1",
    "a node that never was Ready is down,  w w e, 1, ''",
    "and so is one that is being deleted,  w w t, 1, ''",
    "the last Ready node is left alone,    w p p, 3, ''",
    "in a fleet with another budget too,   w u w, 3, 2",
    "a paused node holds nothing up,       d d p, 1, 0 1 2",
  })
  void nodesAreAdmittedWithinTheBudget(String why, String nodes, int atOnce, String admitted) {
    assertThat(admitted(fleet(nodes, atOnce, it -> it), V2)).as(why).isEqualTo(admitted);
  }

  @Test
  void pausedRolloutsAdmitNobodyAndTakeBackWhatHasNotSwitched() {
    FleetView paused =
        fleet(
            "d a w",
            1,
            it ->
                it.withUpdateStrategy(
                    new UpdateStrategy(UpdateStrategy.Type.IN_PLACE, null, true)));

    assertThat(admitted(paused, V2)).isEqualTo("0");
  }

  @Test
  void rolloutTakesBackWhatHasNotSwitched() {
    FleetView rolling =
        builder("s a w", 1, it -> it).status(it -> it.withRollout(Fleets.rollout(3))).build();

    assertThat(admitted(rolling, V2)).isEqualTo("0");
  }

  @Test
  void nodesBelowThePartitionAreLeftAlone() {
    FleetView partitioned =
        fleet(
            "w w d",
            1,
            it ->
                it.withUpdateStrategy(
                    new UpdateStrategy(
                        UpdateStrategy.Type.IN_PLACE,
                        new InPlace(null, 2, null, null, null),
                        null)));

    assertThat(admitted(partitioned, V2)).isEqualTo("2");
  }

  @Test
  void nextEntryWaitsForTheOneBefore() {
    assertThat(admitted(fleet("w w d", 1, it -> it), V3)).isEmpty();
    assertThat(admitted(fleet("d d d", 1, it -> it), V3)).isEqualTo("2");
    assertThat(admitted(fleet("d d p", 1, it -> it), V3))
        .as("a node that is paused gets the entry before once it is not")
        .isEqualTo("1");
  }

  @Test
  void restOfTheTemplateIsGivenAsItIs() {
    FleetView fleet = fleet("w w w", 1, it -> it);
    NodeTemplate given = EarlyUpgrades.of(fleet).given(fleet.template(), 0);

    assertThat(given.spec().upgrades()).extracting(Upgrade::name).containsExactly("v3", "v2");
    assertThat(given.withSpec(given.spec().withUpgrades(null)))
        .isEqualTo(fleet.template().withSpec(fleet.template().spec().withUpgrades(null)));
  }

  /** A rollout must not take another node down while one switches. */
  @Test
  void nodeThatSwitchesIsPartOfTheBudgetOfARollout() {
    List<FleetNode> nodes = List.of(Fleets.old(0), Fleets.old(1).withSwitching(true));

    assertThat(RolloutPolicy.decide(Fleets.rollout(2), nodes, Fleets.limits(1), Fleets.NOW).admit())
        .isEmpty();
  }

  private static String admitted(FleetView fleet, Upgrade entry) {
    EarlyUpgrades early = EarlyUpgrades.of(fleet);
    return IntStream.range(0, 3)
        .filter(ordinal -> early.given(fleet.template(), ordinal).spec().upgrades().contains(entry))
        .mapToObj(String::valueOf)
        .collect(Collectors.joining(" "));
  }

  private static FleetView fleet(
      String nodes, int atOnce, UnaryOperator<SeiNodeDeploymentSpec> change) {
    return builder(nodes, atOnce, change).build();
  }

  private static SnapshotBuilder builder(
      String nodes, int atOnce, UnaryOperator<SeiNodeDeploymentSpec> change) {
    SnapshotBuilder fleet =
        new SnapshotBuilder(3, A)
            .spec(it -> it.withUpdateStrategy(atOnce(atOnce)))
            .spec(it -> it.withTemplate(listing(it.template())))
            .spec(change);
    String[] states = nodes.split(" ");
    for (int ordinal = 0; ordinal < states.length; ordinal++) {
      fleet.child(ordinal, A, as(states[ordinal]));
    }
    return fleet;
  }

  private static UpdateStrategy atOnce(int maxUnavailable) {
    return new UpdateStrategy(
        UpdateStrategy.Type.IN_PLACE,
        new InPlace(new IntOrString(maxUnavailable), null, null, null, null),
        null);
  }

  private static NodeTemplate listing(NodeTemplate template) {
    return template.withSpec(template.spec().withUpgrades(List.of(V3, V2)));
  }

  private static Consumer<SeiNode> as(String state) {
    return switch (state) {
      case "a" -> admitted();
      case "s" -> admitted().andThen(recorded(UpgradeState.APPLIED)).andThen(unready("Replacing"));
      case "n" -> admitted().andThen(recorded(UpgradeState.APPLIED)).andThen(readyForNineSeconds());
      case "d" -> admitted().andThen(recorded(UpgradeState.APPLIED));
      case "b" -> admitted().andThen(recorded(UpgradeState.SCHEDULED));
      case "u" -> unready("PodNotReady");
      case "o" -> SnapshotBuilder.outdated();
      case "p" -> SnapshotBuilder.paused();
      case "h" -> SnapshotBuilder.held();
      case "e" -> SnapshotBuilder.neverReady();
      case "t" -> SnapshotBuilder.terminating();
      default -> node -> {};
    };
  }

  @Test
  void nodeThatMayYetCrashIsLookedAtAgain() {
    assertThat(EarlyUpgrades.of(fleet("w w n", 1, it -> it)).recheck())
        .contains(Duration.ofSeconds(1));
    assertThat(EarlyUpgrades.of(fleet("w w d", 1, it -> it)).recheck()).isEmpty();
  }

  private static Consumer<SeiNode> readyForNineSeconds() {
    Instant since = Fleets.NOW.minusSeconds(9);
    return node ->
        node.setStatus(
            node.getStatus()
                .withSeid(
                    SeidRun.nothing()
                        .with(seid -> seid.containerID("run-2").readyAt(since).caughtUpAt(since))));
  }

  private static Consumer<SeiNode> admitted() {
    return node -> node.setSpec(node.getSpec().withUpgrades(List.of(V2)));
  }

  private static Consumer<SeiNode> recorded(UpgradeState state) {
    UpgradeStatus record = UpgradeStatus.scheduled(V2).withState(state).withEvidence("evidence");
    return node -> node.setStatus(node.getStatus().withUpgrades(List.of(record)));
  }
}
