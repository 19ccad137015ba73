package io.sei.operator.fleet.configuration;

import static io.sei.operator.fleet.SnapshotBuilder.A;
import static io.sei.operator.fleet.SnapshotBuilder.B;
import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.FleetConfiguration;
import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.NodeTemplate;
import io.sei.operator.api.v1alpha1.Rollout;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeidRunBuilder;
import io.sei.operator.api.v1alpha1.UpdateStrategy;
import io.sei.operator.api.v1alpha1.UpdateStrategy.InPlace;
import io.sei.operator.api.v1alpha1.UpdateStrategy.OnStall;
import io.sei.operator.api.v1alpha1.Upgrade;
import io.sei.operator.fleet.Fleets;
import io.sei.operator.fleet.SnapshotBuilder;
import io.sei.operator.fleet.model.FleetView;
import io.sei.operator.render.NodeConfiguration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** A fleet of three on one template whose overrides changed; nodes are told apart by letters. */
class ConfigurationOrderTest {

  private static final Map<String, String> CHANGED = Map.of("mempool.size", "10");

  /**
   * w: waits; u: waits and is not up to date; p: waits and is paused; d: has applied it; a: was
   * just given it; r: refuses it; o: has it and is down for a cause of its own; N: was made with
   * it, and initializes.
   */
  @ParameterizedTest(name = "{0}: {1} -> {2}")
  @CsvSource({
    "the highest ordinal first,             w w w, 2",
    "no other before it has applied it,     w w a, 2",
    "and then the next,                     w w d, 1 2",
    "the last one ends it,                  w d d, all",
    "none after one that refuses it,        w w r, 2",
    "one that has trouble is the first,     w u w, 1",
    "a paused one does not hold it up,      w w p, 1 2",
    "paused ones are the last,              p p d, all",
    "nobody waits for one that is down,     w w o, 1 2",
    "a new node has it from the beginning,  w w N, 1 2",
    "every node is new,                     N N N, all",
  })
  void nodesAreGivenItOneAfterTheOther(String why, String nodes, String given) {
    FleetConfiguration next = ConfigurationOrder.of(fleet(nodes), true).next();

    assertThat(next.nodes() == null ? "all" : ordinals(next.nodes())).as(why).isEqualTo(given);
  }

  /**
   * The same where seid is restarted for it. R: was given it last, and is not Ready again; F: has
   * just become so; B: has been for long; x: waits and is down; s: waits and switches early.
   */
  @ParameterizedTest(name = "{0}: {1} -> {2}, awaits {3}")
  @CsvSource({
    "the highest ordinal first,               w w w, 2,     2",
    "no other before it has applied it,       w w a, 2,     ",
    "no other before it is Ready again,       w w R, 2,     2",
    "nor when it has just become so,          w w F, 2,     2",
    "and then the next,                       w w B, 1 2,   1",
    "the last one is awaited too,             w B d, all,   0",
    "and is let go,                           d d B, all,   ",
    "none after one that refuses it,          w w r, 2,     ",
    "none beside one that is down,            w w o, 2,     ",
    "none beside one that switches,           s w d, 2,     ",
    "one that is down is the first,           w x w, 1,     ",
    "a paused one is in nobody's way,         w w p, 1 2,   1",
    "nor one that is paused while it switches, q w d, all,  1",
  })
  void whereSeidIsRestartedTheNextWaitsUntilTheOneBeforeIsBack(
      String why, String nodes, String given, String awaited) {
    FleetConfiguration next = ConfigurationOrder.of(fleet(nodes), false).next();

    assertThat(next.nodes() == null ? "all" : ordinals(next.nodes())).as(why).isEqualTo(given);
    assertThat(next.awaited()).as(why).isEqualTo(awaited == null ? null : "fleet-" + awaited);
  }

  @Test
  void readyNodeIsLeftAloneWhileARolloutGoesOnOrIsPaused() {
    var rollout = new Rollout(SnapshotBuilder.hash(A), Fleets.NOW, List.of());
    FleetView rolling = builder("w x w").status(it -> it.withRollout(rollout)).build();
    FleetView healthy = builder("w w w").status(it -> it.withRollout(rollout)).build();

    assertThat(ConfigurationOrder.of(rolling, false).next().nodes())
        .as("it may be what the rollout waits for")
        .containsExactly("fleet-1");
    assertThat(ConfigurationOrder.of(healthy, false).next().nodes()).isEmpty();
    assertThat(ConfigurationOrder.of(healthy, true).next().nodes()).containsExactly("fleet-2");
    assertThat(ConfigurationOrder.of(healthy, false).progress().orElseThrow())
        .endsWith("seid is restarted for it once the rollout is complete");
  }

  @Test
  void correctionGoesToTheNodeThatDidNotComeBack() {
    FleetView fleet =
        builder("w w R")
            .spec(
                it ->
                    it.withTemplate(
                        it.template()
                            .withSpec(
                                it.template().spec().withOverrides(Map.of("mempool.size", "9")))))
            .build();

    FleetConfiguration next = ConfigurationOrder.of(fleet, false).next();

    assertThat(next.nodes()).containsExactly("fleet-2");
    assertThat(next.awaited()).isEqualTo("fleet-2");
  }

  /**
   * Template and configuration were edited together: the rollout would wait for it, and it for the
   * rollout.
   */
  @Test
  void nodeOnAnEarlierTemplateIsNotAwaited() {
    var awaited = recorded(hash(), List.of("fleet-2"), "fleet-2", null);
    FleetView fleet =
        builder("w w").child(2, B).status(it -> it.withConfiguration(awaited)).build();

    assertThat(ConfigurationOrder.of(fleet, false).next().awaited())
        .as("the next")
        .isEqualTo("fleet-1");
  }

  @Test
  void nodeKeepsWhatItHasUntilItsTurn() {
    FleetView fleet = fleet("w w r");
    ConfigurationOrder order = ConfigurationOrder.of(fleet, false);

    assertThat(order.given(fleet.template(), 2)).isEqualTo(fleet.template());
    NodeTemplate waits = order.given(fleet.template(), 1);
    assertThat(waits.spec().overrides()).isNull();
    assertThat(waits.spec().image()).isEqualTo(A);
    assertThat(order.progress())
        .hasValue(
            "a changed configuration is given to one node after the other; waiting: fleet-0,"
                + " fleet-1; on hold: fleet-2: the evidence");
  }

  /**
   * C: was Ready when it was given it, and is stalled for an hour; O: the same of one that had been
   * down.
   */
  @ParameterizedTest(name = "{0}: {1}, {2}, {3} s allowed: {4}")
  @CsvSource({
    "seid does not start with it,              w w C, CrashLoop,         3600, fleet-2: CrashLoop",
    "seid does not understand it,              w w C, ConfigInvalid,     3600, fleet-2:"
        + " ConfigInvalid",
    "seid hangs with it,                       w w C, SeidNotResponding, 3600, fleet-2:"
        + " SeidNotResponding",
    "the deadline has yet to pass,             w w C, CrashLoop,         3601, ",
    "no configuration is to blame,             w w C, NodeLost,          3600, ",
    "data may be in migration,                 w w C, HeightStandsStill, 3600, ",
    "a sidecar refuses it,                     w w O, SidecarTaskFailed, 3600, fleet-2:"
        + " SidecarTaskFailed",
    "it had been down before,                  w w O, CrashLoop,         3600, ",
    "nobody has what was before,               d d C, CrashLoop,         3600, ",
  })
  void configurationThatANodeDoesNotRunWithIsRolledBackWhereThatIsAsked(
      String why, String nodes, String stall, int allowed, String rolledBack) {
    SnapshotBuilder fleet = builder(nodes, stall);

    assertThat(next(fleet, allowed, OnStall.ROLLBACK).rolledBack()).as(why).isEqualTo(rolledBack);
    assertThat(next(fleet, allowed, OnStall.HOLD).rolledBack()).as("it is to hold").isNull();
  }

  private static FleetConfiguration next(SnapshotBuilder fleet, int allowed, OnStall onStall) {
    UpdateStrategy strategy = strategy(allowed, onStall);
    return ConfigurationOrder.of(fleet.spec(it -> it.withUpdateStrategy(strategy)).build(), false)
        .next();
  }

  private static UpdateStrategy strategy(int allowed, OnStall onStall) {
    return new UpdateStrategy(
        UpdateStrategy.Type.IN_PLACE, new InPlace(null, null, null, allowed, onStall), null);
  }

  @Test
  void whatIsRolledBackIsTakenFromTheNodesOneAfterTheOther() {
    FleetView fleet =
        builder("w d R")
            .status(it -> it.withConfiguration(rolledBack(List.of(), "fleet-2")))
            .build();
    ConfigurationOrder order = ConfigurationOrder.of(fleet, false);

    assertThat(order.next()).isEqualTo(rolledBack(List.of("fleet-0", "fleet-2"), "fleet-2"));
    assertThat(order.given(fleet.template(), 1).spec().overrides())
        .as("it has yet to be its turn")
        .isEqualTo(CHANGED);
    assertThat(order.given(fleet.template(), 3).spec().overrides()).as("a new node").isNull();
    assertThat(order.progress().orElseThrow())
        .startsWith(
            "the configuration that spec.template asks for was rolled back (fleet-2: CrashLoop):"
                + " correct it, or take it out; the earlier one is given to one node after the"
                + " other; waiting: fleet-1, fleet-2");
  }

  @Test
  void whatWasRolledBackStaysSoUntilAnotherConfigurationIsAskedFor() {
    FleetView back =
        builder("w w w").status(it -> it.withConfiguration(rolledBack(null, null))).build();
    ConfigurationOrder order = ConfigurationOrder.of(back, false);

    assertThat(order.next()).isEqualTo(rolledBack(null, null));
    assertThat(order.given(back.template(), 2).spec().overrides()).isNull();
    assertThat(ConfigurationOrder.of(fleet("w w w"), false).next().rolledBack()).isNull();
  }

  private static FleetConfiguration rolledBack(List<String> nodes, String awaited) {
    return recorded(hash(), nodes, awaited, "fleet-2: CrashLoop");
  }

  @ParameterizedTest
  @EnumSource
  void fleetWithoutARecordIsTakenToHaveEverything(OnStall onStall) {
    FleetView fleet =
        builder("w w w")
            .status(it -> it.withConfiguration(null))
            .spec(it -> it.withUpdateStrategy(strategy(3600, onStall)))
            .build();
    ConfigurationOrder order = ConfigurationOrder.of(fleet, false);

    assertThat(order.given(fleet.template(), 0)).isEqualTo(fleet.template());
    assertThat(order.next()).isEqualTo(recorded(hash(), null, null, null));
    assertThat(order.recheck()).isEmpty();
    assertThat(order.progress()).isEmpty();
  }

  /** Found by soak seed 14: all that waited were restarted at once. */
  @Test
  void nodeThatStaysOnAnEarlierTemplateKeepsTheConfigurationItHas() {
    FleetView fleet = builder("d d").child(2, B, configured()).build();
    NodeTemplate last = SnapshotBuilder.template(B);

    assertThat(ConfigurationOrder.of(fleet, false).given(last, 2).spec().overrides())
        .isEqualTo(CHANGED);
  }

  @Test
  void nodesOfATemplateThatIsAskedForAgainAreGivenItOneAfterTheOtherToo() {
    var ofAnother = new FleetConfiguration(hash(), SnapshotBuilder.hash(B), null, null, null);
    FleetView fleet = builder("d w w").status(it -> it.withConfiguration(ofAnother)).build();
    ConfigurationOrder order = ConfigurationOrder.of(fleet, false);

    assertThat(order.given(fleet.template(), 1).spec().overrides()).isNull();
    assertThat(order.next())
        .isEqualTo(recorded(hash(), List.of("fleet-0", "fleet-2"), "fleet-2", null));
  }

  @Test
  void nodeOfAnotherTemplateHasItsConfigurationFromThere() {
    FleetView fleet = builder("d d").child(2, B).build();
    NodeTemplate other = SnapshotBuilder.template(B);

    assertThat(ConfigurationOrder.of(fleet, false).given(other, 1))
        .as("it is rolled back")
        .isEqualTo(other);
    assertThat(ConfigurationOrder.of(fleet, false).given(fleet.template(), 2))
        .as("it is rolled")
        .isEqualTo(fleet.template());
    assertThat(ConfigurationOrder.of(fleet, false).next().nodes()).isNull();
  }

  private static FleetConfiguration recorded(
      String hash, List<String> nodes, String awaited, String rolledBack) {
    return new FleetConfiguration(hash, SnapshotBuilder.hash(A), nodes, awaited, rolledBack);
  }

  private static String ordinals(List<String> names) {
    return String.join(" ", names).replace("fleet-", "");
  }

  private static String hash() {
    return NodeConfiguration.of(SnapshotBuilder.template(A).spec().withOverrides(CHANGED)).digest();
  }

  private static FleetView fleet(String nodes) {
    return builder(nodes).build();
  }

  private static SnapshotBuilder builder(String nodes) {
    return builder(nodes, "CrashLoop");
  }

  private static SnapshotBuilder builder(String nodes, String stall) {
    String[] letters = nodes.split(" ");
    var fleet =
        new SnapshotBuilder(3, A)
            .spec(
                it ->
                    it.withTemplate(
                        it.template().withSpec(it.template().spec().withOverrides(CHANGED))));
    var given = new ArrayList<String>();
    String isAwaited = null;
    for (int ordinal = 0; ordinal < letters.length; ordinal++) {
      fleet.child(ordinal, A, as(letters[ordinal], stall));
      if ("daroRFBCO".contains(letters[ordinal])) {
        given.add("fleet-" + ordinal);
      }
      if ("RFBC".contains(letters[ordinal])) {
        isAwaited = "fleet-" + ordinal;
      }
    }
    String awaited = isAwaited;
    String recorded = given.isEmpty() ? "earlier" : hash();
    List<String> names = given.isEmpty() ? null : given;
    return fleet.status(it -> it.withConfiguration(recorded(recorded, names, awaited, null)));
  }

  private static Consumer<SeiNode> as(String state, String stall) {
    return switch (state) {
      case "u" -> SnapshotBuilder.outdated();
      case "p" -> SnapshotBuilder.paused();
      case "q" -> switching().andThen(SnapshotBuilder.paused());
      case "x" -> SnapshotBuilder.unready("PodNotReady");
      case "s" -> switching();
      case "d", "B" -> configured();
      case "R" -> configured().andThen(SnapshotBuilder.unready("PodNotReady"));
      case "F" -> configured().andThen(justReady());
      case "a" -> configured().andThen(SnapshotBuilder.outdated());
      case "r" -> configured().andThen(outdatedAnd("SidecarTaskFailed"));
      case "C", "O" -> configured().andThen(outdatedAnd(stall));
      case "o" -> configured().andThen(outdatedAnd("NodeLost"));
      case "N" ->
          configured()
              .andThen(SnapshotBuilder.outdated())
              .andThen(node -> node.setStatus(node.getStatus().withPhase(NodePhase.INITIALIZING)));
      default -> node -> {};
    };
  }

  private static Consumer<SeiNode> justReady() {
    return node ->
        node.setStatus(
            node.getStatus()
                .withSeid(SeidRunBuilder.builder().containerID("run").readyAt(Fleets.NOW).build()));
  }

  private static Consumer<SeiNode> switching() {
    return node ->
        node.setSpec(node.getSpec().withUpgrades(List.of(new Upgrade("v2", 100L, "sei:v2", true))));
  }

  private static Consumer<SeiNode> configured() {
    return node -> node.setSpec(node.getSpec().withOverrides(CHANGED));
  }

  /** It is stalled for a reason, and not up to date. */
  private static Consumer<SeiNode> outdatedAnd(String stall) {
    return SnapshotBuilder.stalled(stall)
        .andThen(
            node ->
                node.setStatus(
                    node.getStatus()
                        .withConditions(
                            node.getStatus().conditions().stream()
                                .filter(it -> !"UpToDate".equals(it.type()))
                                .toList())));
  }
}
