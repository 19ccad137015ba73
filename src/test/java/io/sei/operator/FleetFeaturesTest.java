package io.sei.operator;

import static io.sei.operator.testkit.Patience.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.javaoperatorsdk.operator.Operator;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.FleetPhase;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentStatus;
import io.sei.operator.api.v1alpha1.SeiNodeStatusBuilder;
import io.sei.operator.base.PerObjectState;
import io.sei.operator.config.TakeoverConfig;
import io.sei.operator.fleet.FleetTestCase;
import io.sei.operator.fleet.OfflineFleet;
import io.sei.operator.fleet.SeiNodeDeploymentReconciler;
import io.sei.operator.fleet.feature.FleetFeature;
import io.sei.operator.kube.EventRecorder;
import io.sei.operator.kube.ReconcileGate;
import io.sei.operator.observability.OperatorMetrics;
import io.sei.operator.render.SpecHash;
import io.sei.operator.takeover.OperatorLeases;
import io.sei.operator.takeover.TakeoverGate;
import io.sei.operator.testkit.controlplane.ControlPlane;
import io.sei.operator.testkit.controlplane.RealControlPlane;
import io.sei.operator.testkit.controlplane.TestNamespace;
import io.sei.operator.testkit.samples.NodeSample;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Runs fleets without each feature in turn: the rollout and the other features need none of them.
 */
@Tag("long")
@RealControlPlane
@Execution(ExecutionMode.CONCURRENT)
class FleetFeaturesTest {

  private static final String A = "sei:a";
  private static final String B = "sei:b";

  private KubernetesClient client;
  private String namespace;

  static Stream<Class<? extends FleetFeature>> features() {
    return OfflineFleet.FEATURES.stream().map(FleetFeature::getClass);
  }

  @ParameterizedTest(name = "without {0}")
  @MethodSource("features")
  void fleetStartsUpdatesAndPauses(
      Class<? extends FleetFeature> off, ControlPlane controlPlane, TestNamespace own) {
    namespace = own.name();
    try (KubernetesClient operators = controlPlane.newClient(ControlPlane.OPERATOR);
        var metrics = new OperatorMetrics(Clock.systemUTC())) {
      client = controlPlane.client();
      Operator operator = operator(operators, metrics, feature -> feature.getClass() != off);
      operator.start();
      try {
        create();
        serve(A);
        awaitFleet(status -> status.phase() == FleetPhase.READY);
        patch("{\"spec\":{\"template\":{\"spec\":{\"image\":\"%s\"}}}}".formatted(B));
        serve(B);
        awaitFleet(status -> status.phase() == FleetPhase.READY && status.rollout() == null);
        patch("{\"spec\":{\"paused\":true}}");
        awaitFleet(status -> status.phase() == FleetPhase.PAUSED);
        eventually(() -> assertThat(node().getSpec().paused()).isTrue());
      } finally {
        operator.stop();
      }
    }
  }

  private Operator operator(
      KubernetesClient operators, OperatorMetrics metrics, Predicate<FleetFeature> on) {
    var memory = new PerObjectState<ResourceID>();
    var assembly =
        new FleetAssembly(
            false,
            OfflineFleet.CONFIRMATION,
            operators,
            node -> Optional.empty(),
            machine -> Optional.empty(),
            node -> false,
            node -> false,
            node -> false,
            memory.newMap(),
            (namespace, chain) -> Optional.empty(),
            memory,
            new TakeoverGate(
                new OperatorLeases(operators)::in,
                new TakeoverConfig(Set.of()),
                Optional.empty(),
                Clock.systemUTC()),
            new EventRecorder(operators, SeiNodeDeploymentReconciler.NAME, "test"),
            metrics,
            Clock.systemUTC(),
            new SteadyClock());
    var operator =
        new Operator(
            overrider -> overrider.withKubernetesClient(operators).withCloseClientOnStop(false));
    operator.register(
        new SeiNodeDeploymentReconciler(
            memory, caches -> assembly.pipeline(caches, on), new ReconcileGate(namespace -> true)),
        overrider -> overrider.settingNamespace(namespace));
    return operator;
  }

  private void create() {
    var fleet = new SeiNodeDeployment();
    fleet.getMetadata().setName(FleetTestCase.FLEET);
    fleet.getMetadata().setNamespace(namespace);
    fleet.setSpec(FleetTestCase.fleetSpec(1, A));
    client.resource(fleet).create();
  }

  /** The node runs an image and is Ready, as soon as it is given that. */
  private void serve(String image) {
    eventually(() -> write(image));
  }

  private void write(String image) {
    SeiNode node = node();
    assertThat(node.getSpec().image()).isEqualTo(image);
    Long generation = node.getMetadata().getGeneration();
    var conditions = List.<Condition>of();
    for (NodeConditionType type : List.of(NodeConditionType.READY, NodeConditionType.UP_TO_DATE)) {
      conditions =
          Conditions.with(
              conditions,
              type,
              ConditionStatus.TRUE,
              NodeReason.UP_TO_DATE,
              "",
              generation,
              NodeSample.LONG_AGO);
    }
    node.setStatus(
        SeiNodeStatusBuilder.builder()
            .observedGeneration(generation)
            .phase(NodePhase.RUNNING)
            .currentImage(image)
            .podSpecHash(SpecHash.of(node))
            .conditions(conditions)
            .build());
    client.resource(node).updateStatus();
  }

  private SeiNode node() {
    return client.resources(SeiNode.class).inNamespace(namespace).withName("fleet-" + 0).require();
  }

  private void awaitFleet(Predicate<SeiNodeDeploymentStatus> state) {
    eventually(() -> assertThat(fleet().getStatus()).isNotNull().matches(state));
  }

  private SeiNodeDeployment fleet() {
    return client
        .resources(SeiNodeDeployment.class)
        .inNamespace(namespace)
        .withName(FleetTestCase.FLEET)
        .require();
  }

  private void patch(String change) {
    client.resource(fleet()).patch(PatchContext.of(PatchType.JSON_MERGE), change);
  }
}
