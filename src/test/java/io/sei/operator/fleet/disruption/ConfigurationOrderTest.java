package io.sei.operator.fleet.disruption;

import static io.sei.operator.testkit.samples.FleetSample.A;
import static io.sei.operator.testkit.samples.FleetSample.B;
import static io.sei.operator.testkit.samples.FleetSample.aFleet;
import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.FleetConfiguration;
import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.NodeTemplate;
import io.sei.operator.api.v1alpha1.Rollout;
import io.sei.operator.api.v1alpha1.SeidRunBuilder;
import io.sei.operator.api.v1alpha1.UpdateStrategy;
import io.sei.operator.api.v1alpha1.UpdateStrategy.InPlace;
import io.sei.operator.api.v1alpha1.UpdateStrategy.OnStall;
import io.sei.operator.api.v1alpha1.Upgrade;
import io.sei.operator.fleet.feature.FleetView;
import io.sei.operator.render.NodeConfiguration;
import io.sei.operator.testkit.samples.FleetSample;
import io.sei.operator.testkit.samples.NodeSample;
import io.sei.operator.testkit.samples.Samples;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Orders a fleet of three on one template whose overrides changed; letters tell the nodes apart.
 */
class ConfigurationOrderTest {

  private static final Map<String, String> CHANGED = Map.of("mempool.size", "10");

  private static final String ADDRESS = "all:26656";

  private static final Map<String, UnaryOperator<NodeSample>> WORDS =
      Map.of(
          "configured", node -> node.overrides(CHANGED),
          "addressed", node -> node.spec(spec -> spec.withExternalAddress(ADDRESS)),
          "own", node -> node.spec(spec -> spec.withExternalAddress("own:26656")),
          "awaited", UnaryOperator.identity(),
          "initializing", node -> node.status(status -> status.withPhase(NodePhase.INITIALIZING)),
          "justReady", ConfigurationOrderTest::justReady,
          "unreadable", node -> NodeSample.aNode(Samples.unreadable(node.build(), "spec")),
          "switching", node -> node.upgrades(new Upgrade("v2", 100L, "sei:v2", true)));

  @ParameterizedTest(name = "{0}: {1} -> {2}")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          the highest ordinal first         | ready, ready, ready | 2
          no other before it has applied it | ready, ready, outdated configured | 2
          and then the next                 | ready, ready, configured | 1 2
          the last one ends it              | ready, configured, configured | all
          none after one that refuses it | ready, ready, outdated stalled:SidecarTaskFailed configured | 2
          one that has trouble is the first | ready, outdated, ready | 1
          a paused one does not hold it up  | ready, ready, paused | 1 2
          paused ones are the last          | paused, paused, configured | all
          one that is down is not waited for | ready, ready, outdated stalled:NodeLost configured | 1 2
          a new node has it from the beginning | ready, ready, initializing outdated configured | 1 2
          every node is new | initializing outdated configured, initializing outdated configured, initializing outdated configured | all
          """)
  void nodesAreGivenItOneAfterTheOther(String why, String nodes, String given) {
    FleetConfiguration next = ConfigurationOrder.of(fleet(nodes), true).next();

    assertThat(next.nodes() == null ? "all" : ordinals(next.nodes())).as(why).isEqualTo(given);
  }

  @ParameterizedTest(name = "{0}: {1} -> {2}, awaits {3}")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          the highest ordinal first           | ready, ready, ready | 2 | 2
          no other before it has applied it   | ready, ready, outdated configured | 2 |
          no other before it is Ready again   | ready, ready, awaited unready configured | 2 | 2
          nor when it has just become so      | ready, ready, awaited justReady configured | 2 | 2
          and then the next                   | ready, ready, awaited configured | 1 2 | 1
          the last one is awaited too         | ready, awaited configured, configured | all | 0
          and is let go                       | configured, configured, awaited configured | all |
          none after one that refuses it | ready, ready, outdated stalled:SidecarTaskFailed configured | 2 |
          none beside one that is down | ready, ready, outdated stalled:NodeLost configured | 2 |
          none beside one that switches       | switching, ready, configured | 2 |
          one that is down is the first       | ready, unready, ready | 1 |
          none after one that is paused before it is Ready | ready, ready, awaited paused configured | 2 | 2
          or held | ready, ready, awaited held configured | 2 | 2
          a paused one holds up no other      | ready, ready, paused | 1 2 | 1
          nor one that is paused while it switches | paused switching, ready, configured | all | 1
          """)
  void whereSeidIsRestartedTheNextWaitsUntilTheOneBeforeIsBack(
      String why, String nodes, String given, String awaited) {
    FleetConfiguration next = ConfigurationOrder.of(fleet(nodes), false).next();

    assertThat(next.nodes() == null ? "all" : ordinals(next.nodes())).as(why).isEqualTo(given);
    assertThat(next.awaited()).as(why).isEqualTo(awaited == null ? null : "fleet-" + awaited);
  }

  @Test
  void readyNodeIsLeftAloneWhileARolloutGoesOnOrIsPaused() {
    var rollout = new Rollout(FleetSample.hash(A), NodeSample.NOW, List.of());
    FleetView rolling =
        builder("ready, unready, ready").status(status -> status.withRollout(rollout)).view();
    FleetView healthy =
        builder("ready, ready, ready").status(status -> status.withRollout(rollout)).view();

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
        builder("ready, ready, awaited unready configured")
            .template(spec -> spec.withOverrides(Map.of("mempool.size", "9")))
            .view();

    FleetConfiguration next = ConfigurationOrder.of(fleet, false).next();

    assertThat(next.nodes()).containsExactly("fleet-2");
    assertThat(next.awaited()).isEqualTo("fleet-2");
  }

  @Test
  void correctionDoesNotWaitForANodeThatIsPaused() {
    FleetView fleet =
        builder("ready, ready, awaited paused configured")
            .template(spec -> spec.withOverrides(Map.of("mempool.size", "9")))
            .view();

    FleetConfiguration next = ConfigurationOrder.of(fleet, false).next();

    assertThat(next.nodes()).containsExactly("fleet-1", "fleet-2");
    assertThat(next.awaited()).isEqualTo("fleet-1");
    assertThat(ConfigurationOrder.of(fleet("ready, ready, awaited paused configured"), false))
        .extracting(order -> order.progress().orElseThrow())
        .asString()
        .endsWith("; fleet-2 has not been Ready with it, and is paused");
    assertThat(ConfigurationOrder.of(fleet("ready, ready, awaited unreadable configured"), false))
        .extracting(order -> order.progress().orElseThrow())
        .asString()
        .endsWith("; fleet-2 has not been Ready with it, and is unreadable");
  }

  /**
   * Template and configuration were edited together: the rollout would wait for it, and it for the
   * rollout.
   */
  @Test
  void nodeOnAnEarlierTemplateIsNotAwaited() {
    var awaited = recorded(hash(), List.of("fleet-2"), "fleet-2", null);
    FleetView fleet =
        builder("ready, ready")
            .child(2, B, NodeSample::atRisk)
            .status(status -> status.withConfiguration(awaited))
            .view();

    assertThat(ConfigurationOrder.of(fleet, false).next().awaited())
        .as("the next")
        .isEqualTo("fleet-1");
  }

  @Test
  void nodeKeepsWhatItHasUntilItsTurn() {
    FleetView fleet = fleet("ready, ready, outdated stalled:SidecarTaskFailed configured");
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

  @ParameterizedTest(name = "{0}: {1}, {2} s allowed: {3}")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          seid does not start with it     | awaited | CrashLoop | 3600 | fleet-2: CrashLoop
          seid does not understand it     | awaited | ConfigInvalid | 3600 | fleet-2: ConfigInvalid
          seid hangs with it | awaited | SeidNotResponding | 3600 | fleet-2: SeidNotResponding
          the deadline has yet to pass    | awaited | CrashLoop | 3601 |
          no configuration is to blame    | awaited | NodeLost | 3600 |
          data may be in migration        | awaited | HeightStandsStill | 3600 |
          a sidecar refuses it | down before | SidecarTaskFailed | 3600 | fleet-2: SidecarTaskFailed
          it had been down before         | down before | CrashLoop | 3600 |
          no node has what was before     | alone | CrashLoop | 3600 |
          """)
  void configurationThatANodeDoesNotRunWithIsRolledBackWhereThatIsAsked(
      String why, String before, String stall, int allowed, String rolledBack) {
    String other = before.equals("alone") ? "configured" : "ready";
    String last = "outdated stalled:%s configured".formatted(stall);
    FleetSample fleet =
        builder(
            String.join(
                ", ", other, other, before.equals("down before") ? last : "awaited " + last));

    assertThat(next(fleet, allowed, OnStall.ROLLBACK).rolledBack()).as(why).isEqualTo(rolledBack);
    assertThat(next(fleet, allowed, OnStall.HOLD).rolledBack()).as("it is to hold").isNull();
  }

  private static FleetConfiguration next(FleetSample fleet, int allowed, OnStall onStall) {
    UpdateStrategy strategy = strategy(allowed, onStall);
    return ConfigurationOrder.of(
            fleet.spec(spec -> spec.withUpdateStrategy(strategy)).view(), false)
        .next();
  }

  private static UpdateStrategy strategy(int allowed, OnStall onStall) {
    return new UpdateStrategy(
        UpdateStrategy.Type.IN_PLACE, new InPlace(null, null, null, allowed, onStall), null);
  }

  @Test
  void whatIsRolledBackIsTakenFromTheNodesOneAfterTheOther() {
    FleetView fleet =
        builder("ready, configured, awaited unready configured")
            .status(status -> status.withConfiguration(rolledBack(List.of(), "fleet-2")))
            .view();
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
        builder("ready, ready, ready")
            .status(status -> status.withConfiguration(rolledBack(null, null)))
            .view();
    ConfigurationOrder order = ConfigurationOrder.of(back, false);

    assertThat(order.next()).isEqualTo(rolledBack(null, null));
    assertThat(order.given(back.template(), 2).spec().overrides()).isNull();
    assertThat(ConfigurationOrder.of(fleet("ready, ready, ready"), false).next().rolledBack())
        .isNull();
  }

  private static FleetConfiguration rolledBack(List<String> nodes, String awaited) {
    return recorded(hash(), nodes, awaited, "fleet-2: CrashLoop");
  }

  @ParameterizedTest
  @EnumSource
  void fleetWithoutARecordIsTakenToHaveEverything(OnStall onStall) {
    FleetView fleet =
        builder("ready, ready, ready")
            .status(status -> status.withConfiguration(null))
            .spec(spec -> spec.withUpdateStrategy(strategy(3600, onStall)))
            .view();
    ConfigurationOrder order = ConfigurationOrder.of(fleet, false);

    assertThat(order.given(fleet.template(), 0)).isEqualTo(fleet.template());
    assertThat(order.next()).isEqualTo(recorded(hash(), null, null, null));
    assertThat(order.recheck()).isEmpty();
    assertThat(order.progress()).isEmpty();
  }

  /** Found by soak seed 14: all that waited were restarted at once. */
  @Test
  void nodeThatStaysOnAnEarlierTemplateKeepsTheConfigurationItHas() {
    FleetView fleet =
        builder("configured, configured").child(2, B, node -> node.overrides(CHANGED)).view();
    NodeTemplate last = FleetSample.template(B);

    assertThat(ConfigurationOrder.of(fleet, false).given(last, 2).spec().overrides())
        .isEqualTo(CHANGED);
  }

  @Test
  void nodesOfATemplateThatIsAskedForAgainAreGivenItOneAfterTheOtherToo() {
    var ofAnother = new FleetConfiguration(hash(), FleetSample.hash(B), null, null, null, null);
    FleetView fleet =
        builder("configured, ready, ready")
            .status(status -> status.withConfiguration(ofAnother))
            .view();
    ConfigurationOrder order = ConfigurationOrder.of(fleet, false);

    assertThat(order.given(fleet.template(), 1).spec().overrides()).isNull();
    assertThat(order.next())
        .isEqualTo(recorded(hash(), List.of("fleet-0", "fleet-2"), "fleet-2", null));
  }

  @Test
  void nodeOfAnotherTemplateHasItsConfigurationFromThere() {
    FleetView fleet = builder("configured, configured").child(2, B).view();
    NodeTemplate other = FleetSample.template(B);

    assertThat(ConfigurationOrder.of(fleet, false).given(other, 1))
        .as("it is rolled back")
        .isEqualTo(other);
    assertThat(ConfigurationOrder.of(fleet, false).given(fleet.template(), 2))
        .as("it is rolled")
        .isEqualTo(fleet.template());
    assertThat(ConfigurationOrder.of(fleet, false).next().nodes()).isNull();
  }

  @Test
  void addressOfTheTemplateIsTakenFromTheNodesOneAfterTheOther() {
    FleetView before = addressed("addressed, own, addressed", "earlier", null, null);
    ConfigurationOrder first = ConfigurationOrder.of(before, false);
    String hash = first.next().hash();

    assertThat(addressesGiven(before))
        .as("or none, which leaves a node its own")
        .containsExactly(ADDRESS, null, ADDRESS);
    assertThat(first.next().nodes()).containsExactly("fleet-1", "fleet-2");
    assertThat(first.next().awaited()).isEqualTo("fleet-2");
    assertThat(first.next().externalAddress()).isEqualTo(ADDRESS);

    FleetView between =
        addressed("addressed, own, addressed", hash, List.of("fleet-1", "fleet-2"), "fleet-2");
    assertThat(addressesGiven(between)).containsExactly(ADDRESS, null, null);

    FleetView last = addressed("addressed, own, awaited", hash, null, "fleet-0");
    assertThat(addressesGiven(last)).containsOnlyNulls();
    assertThat(ConfigurationOrder.of(last, false).next().awaited()).isEqualTo("fleet-0");

    FleetView done = addressed("awaited, own, awaited", hash, null, null);
    assertThat(ConfigurationOrder.of(done, false).next().externalAddress()).isNull();
  }

  @Test
  void addressOfTheTemplateIsRecorded() {
    FleetView fleet =
        aFleet(2, A).template(spec -> spec.withExternalAddress(ADDRESS)).ready().view();

    assertThat(ConfigurationOrder.of(fleet, false).next().externalAddress()).isEqualTo(ADDRESS);
  }

  private static FleetView addressed(
      String nodes, String hash, List<String> given, String awaited) {
    var record = new FleetConfiguration(hash, FleetSample.hash(A), given, awaited, null, ADDRESS);
    return aFleet(3, A)
        .children(A, "ready " + nodes.replace(", ", ", ready "), WORDS)
        .status(status -> status.withConfiguration(record))
        .view();
  }

  private static List<String> addressesGiven(FleetView fleet) {
    ConfigurationOrder order = ConfigurationOrder.of(fleet, false);
    return IntStream.range(0, 3)
        .mapToObj(ordinal -> order.given(fleet.template(), ordinal).spec().externalAddress())
        .toList();
  }

  private static FleetConfiguration recorded(
      String hash, List<String> nodes, String awaited, String rolledBack) {
    return new FleetConfiguration(hash, FleetSample.hash(A), nodes, awaited, rolledBack, null);
  }

  private static String ordinals(List<String> names) {
    return String.join(" ", names).replace("fleet-", "");
  }

  private static String hash() {
    return NodeConfiguration.of(FleetSample.template(A).spec().withOverrides(CHANGED)).digest();
  }

  private static FleetView fleet(String nodes) {
    return builder(nodes).view();
  }

  /** A fleet with a changed configuration, which nodes in words have or wait for. */
  private static FleetSample builder(String nodes) {
    String[] words = nodes.split(", ");
    List<String> given =
        IntStream.range(0, words.length)
            .filter(ordinal -> words[ordinal].contains("configured"))
            .filter(ordinal -> !words[ordinal].contains("initializing"))
            .mapToObj(ordinal -> "fleet-" + ordinal)
            .toList();
    String awaited =
        IntStream.range(0, words.length)
            .filter(ordinal -> words[ordinal].contains("awaited"))
            .mapToObj(ordinal -> "fleet-" + ordinal)
            .findFirst()
            .orElse(null);
    FleetConfiguration record =
        given.isEmpty()
            ? recorded("earlier", null, awaited, null)
            : recorded(hash(), given, awaited, null);
    return aFleet(3, A)
        .template(spec -> spec.withOverrides(CHANGED))
        .children(A, nodes, WORDS)
        .status(status -> status.withConfiguration(record));
  }

  private static NodeSample justReady(NodeSample node) {
    var run = SeidRunBuilder.builder().containerID("run").readyAt(NodeSample.NOW).build();
    return node.status(status -> status.withSeid(run));
  }
}
