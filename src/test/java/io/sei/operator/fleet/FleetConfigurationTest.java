package io.sei.operator.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.FleetConditionType;
import io.sei.operator.api.v1alpha1.FleetPhase;
import io.sei.operator.api.v1alpha1.FleetReason;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentSpec;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentStatus;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.plan.SidecarTaskTypes;
import io.sei.operator.testkit.KubectlSei;
import io.sei.operator.testkit.PodFault;
import io.sei.operator.testkit.SidecarFaults;
import io.sei.operator.testkit.SidecarVersion;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A changed configuration restarts seid of one node after the other, and stops at the first one
 * that refuses it.
 */
@Order(1)
class FleetConfigurationTest extends FleetTestCase {

  private static final String VALUES =
      "{'spec':{'template':{'spec':{'configValues':"
          + "[{'fileName':'app.toml','key':'a','value':16}]}}}}";

  private static final String WORDS = "unknown override key \"no.such\"";

  @Test
  void theNextNodeIsRestartedOnceTheOneBeforeIsReadyAgain() {
    sidecar.version(SidecarVersion.V0_0_70);
    createReady(3);
    try (var watch = new FleetWatch(client, namespace)) {
      restartsOneAfterTheOther();

      assertThat(distinct(watch, FleetConfigurationTest::upToDate))
          .as("one answer at every moment")
          .containsExactly("True", "False", "True");
      assertThat(distinct(watch, SeiNodeDeploymentStatus::phase))
          .containsExactly(FleetPhase.READY, FleetPhase.UPGRADING, FleetPhase.READY);
      assertThat(distinct(watch, FleetConfigurationTest::rolloutInProgress))
          .containsExactly("NotStarted", "ConfigurationChanged", "RolloutComplete");
      assertThat(distinct(watch, status -> status.rollout() == null ? "" : shown(status)))
          .containsExactly("", status().configuration().hash(), "");
    }
    assertThat(status().configuration().nodes()).isNull();
    assertThat(events(FLEET, "RolloutStarted")).hasSize(1);
    assertThat(events(FLEET, "RolloutComplete")).hasSize(1);
    assertThat(podUids(3)).allMatch(pods -> pods.size() == 1);
  }

  /** The configuration of a rollout that has no record of nodes. */
  private static String shown(SeiNodeDeploymentStatus status) {
    assertThat(status.rollout().nodes()).isNull();
    return status.rollout().configuration();
  }

  private static String upToDate(SeiNodeDeploymentStatus status) {
    return Conditions.find(status.conditions(), FleetConditionType.UP_TO_DATE)
        .orElseThrow()
        .status()
        .toString();
  }

  private static String rolloutInProgress(SeiNodeDeploymentStatus status) {
    return Conditions.find(status.conditions(), FleetConditionType.ROLLOUT_IN_PROGRESS)
        .orElseThrow()
        .reason();
  }

  /** The successive values of a field of the fleet's status. */
  private static <T> List<T> distinct(
      FleetWatch watch, Function<SeiNodeDeploymentStatus, T> field) {
    List<T> values = new ArrayList<>();
    for (SeiNodeDeploymentStatus status : watch.statuses()) {
      T value = field.apply(status);
      if (values.isEmpty() || !values.getLast().equals(value)) {
        values.add(value);
      }
    }
    return values;
  }

  private void restartsOneAfterTheOther() {
    configureWithSlowStart("{'mempool.size':'10'}");

    stays(() -> assertThat(restarts()).containsExactly(0, 0, 1));
    assertThat(plan()).contains("Not up to date: a changed configuration is given");
    assertThat(node(1).getSpec().overrides()).isNull();
    assertThat(condition(FleetConditionType.UP_TO_DATE).message())
        .contains("waiting: fleet-0, fleet-1", "fleet-2 has it and is to be Ready first");
    kubelet.clear(namespace, pod(2));

    eventually(() -> assertThat(restarts()).containsExactly(1, 1, 1));
    awaitUpToDate(3, A);
    eventually(() -> assertThat(plan()).contains("No plan is active"));
  }

  private String plan() {
    return new KubectlSei(controlPlane, namespace).run("plan", "snd/" + FLEET).stdout();
  }

  @Test
  @Tag("long")
  void whatSeidDoesNotStartWithStopsAtTheFirstNodeAndIsRolledBackWhereThatIsAsked() {
    sidecar.version(SidecarVersion.V0_0_70);
    SeiNodeDeploymentSpec spec = fleetSpec(3, A);
    create(
        spec.withTemplate(
            spec.template().withSpec(spec.template().spec().withProgressDeadlineSeconds(2))));
    awaitUpToDate(3, A);
    configureWithSlowStart("{'mempool.size':'10'}");

    kubelet.inject(namespace, pod(2), PodFault.CRASH_LOOP);

    eventually(
        () ->
            assertCondition(
                FleetConditionType.STALLED, ConditionStatus.TRUE, StallReason.CRASH_LOOP));
    assertThat(condition(FleetConditionType.UP_TO_DATE).message()).contains("on hold: fleet-2");
    stays(() -> assertThat(node(1).getSpec().overrides()).isNull());
    assertThat(node(0).getSpec().overrides()).isNull();

    patch(
        "{'spec':{'updateStrategy':{'inPlace':{'progressDeadlineSeconds':2,'onStall':'Rollback'}}}}");

    eventually(() -> assertThat(node(2).getSpec().overrides()).isNull());
    kubelet.clear(namespace, pod(2));
    eventually(() -> assertCondition(FleetConditionType.READY, ConditionStatus.TRUE));
    eventually(
        () ->
            assertThat(condition(FleetConditionType.UP_TO_DATE).message())
                .startsWith(
                    "the configuration that spec.template asks for was rolled back (fleet-2: "));
    assertThat(events(FLEET, "ConfigurationRolledBack")).hasSize(1);

    patch("{'spec':{'template':{'spec':{'overrides':null}}}}");

    awaitUpToDate(3, A);
    assertThat(nodes()).allMatch(node -> node.getSpec().overrides() == null);
    assertThat(restarts().subList(0, 2)).containsExactly(0, 0);
  }

  /** The seid that is restarted first does not serve afterwards. */
  private void configureWithSlowStart(String overrides) {
    SidecarFaults faults = sidecar.faults(namespace, FLEET + "-2");
    faults.hold(SidecarTaskTypes.RESTART_SEID);
    patch("{'spec':{'template':{'spec':{'overrides':%s}}}}".formatted(overrides));
    eventually(() -> assertThat(node(2).getStatus().unreadConfig().askedAt()).isNotNull());
    kubelet.inject(namespace, pod(2), PodFault.SLOW_SEID);
    faults.release(SidecarTaskTypes.RESTART_SEID);
    eventually(() -> assertThat(restarts()).containsExactly(0, 0, 1));
  }

  private static String pod(int ordinal) {
    return FLEET + "-" + ordinal + "-0";
  }

  private List<Integer> restarts() {
    return IntStream.range(0, 3)
        .map(
            ordinal ->
                read(Pod.class, pod(ordinal)).getStatus().getContainerStatuses().stream()
                    .filter(container -> container.getName().equals("seid"))
                    .mapToInt(ContainerStatus::getRestartCount)
                    .sum())
        .boxed()
        .toList();
  }

  /** A configuration that the sidecar refuses stops at the first node, in its words. */
  @Test
  void theOtherNodesNeverGetWhatTheFirstRefusesUntilItIsCorrected() {
    createReady(3);

    configure("{'no.such':'1'}");

    awaitHold();
    assertThat(condition(FleetConditionType.UP_TO_DATE).message())
        .contains("waiting: fleet-0, fleet-1", "on hold: fleet-2", WORDS);
    stays(() -> assertThat(node(1).getSpec().overrides()).isNull());
    assertThat(node(0).getSpec().overrides()).isNull();
    assertCondition(FleetConditionType.READY, ConditionStatus.TRUE);

    configure("{'no.such':null,'mempool.size':'10'}");

    awaitUpToDate(3, A);
    assertThat(nodes())
        .extracting(SeiNode::getSpec)
        .allMatch(spec -> spec.overrides().equals(Map.of("mempool.size", "10")));
    assertCondition(FleetConditionType.STALLED, ConditionStatus.FALSE, FleetReason.NOT_STALLED);
    eventually(() -> assertThat(events(FLEET, "Recovered")).hasSize(1));
    assertThat(status().configuration().nodes()).isNull();
    assertThat(events(FLEET, "RolloutStarted")).hasSize(1);
    assertThat(events(FLEET, "RolloutSuperseded")).hasSize(1);
    eventually(() -> assertThat(events(FLEET, "RolloutComplete")).hasSize(1));
  }

  @Tag("long")
  @Test
  void takenBackItHealsAndIsNotToldAsRecoveredBefore() {
    createReady(2);
    configure("{'no.such':'1'}");
    eventually(() -> assertThat(stalled()).contains(WORDS));
    configure("{'no.such':'2'}");
    eventually(() -> assertThat(stalled()).contains(WORDS));
    assertThat(events(FLEET, "Recovered")).isEmpty();

    patch("{'spec':{'template':{'spec':{'overrides':null}}}}");

    awaitUpToDate(2, A);
    assertThat(nodes()).allMatch(node -> node.getSpec().overrides() == null);
    eventually(() -> assertThat(events(FLEET, "Recovered")).hasSize(1));
  }

  @Test
  @Tag("long")
  void valuesForFilesAreGivenToOneNodeAfterTheOtherToo() {
    createReady(2);
    sidecar.faults(namespace, "fleet-1").reject("config-patch", WORDS);

    patch(VALUES);

    eventually(() -> assertThat(stalled()).contains("fleet-1: ", "config-patch", WORDS));
    stays(() -> assertThat(node(0).getSpec().configValues()).isNull());
    sidecar.faults(namespace, "fleet-1").clear();
    patch(VALUES.replace("16", "32"));

    awaitUpToDate(2, A);
    for (String node : List.of("fleet-0", "fleet-1")) {
      assertThat(sidecar.home(namespace, node).setting("app.toml", "a")).contains("32.0");
    }
  }

  private void configure(String overrides) {
    patch("{'spec':{'template':{'spec':{'overrides':%s}}}}".formatted(overrides));
  }

  private void awaitHold() {
    eventually(
        () ->
            assertCondition(
                FleetConditionType.STALLED, ConditionStatus.TRUE, StallReason.SIDECAR_TASK_FAILED));
    assertThat(stalled()).contains("fleet-2: ", "config-apply", WORDS);
  }

  private String stalled() {
    return condition(FleetConditionType.STALLED).message();
  }
}
