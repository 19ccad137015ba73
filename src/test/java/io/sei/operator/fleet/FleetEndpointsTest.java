package io.sei.operator.fleet;

import static io.sei.operator.testkit.samples.Samples.yaml;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;
import static org.assertj.core.api.Assertions.tuple;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.api.model.ServicePort;
import io.fabric8.kubernetes.api.model.discovery.v1.Endpoint;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudgetBuilder;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.Endpoints;
import io.sei.operator.api.v1alpha1.FleetConditionType;
import io.sei.operator.api.v1alpha1.InternalService;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeEndpoint;
import io.sei.operator.api.v1alpha1.PerPodService;
import io.sei.operator.testkit.PodFault;
import io.sei.operator.testkit.RequestLog;
import io.sei.operator.testkit.controlplane.ComponentProcess;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The Services and the PodDisruptionBudget of a fleet. */
class FleetEndpointsTest extends FleetTestCase {

  private static final List<UnaryOperator<ServiceBuilder>> FOREIGN_EDITS =
      List.of(
          builder -> builder.editSpec().editFirstPort().withPort(1234).endPort().endSpec(),
          builder -> builder.editSpec().addToSelector("sei.io/nodedeployment", "x").endSpec(),
          builder -> builder.editSpec().withPublishNotReadyAddresses(true).endSpec(),
          builder -> builder.editMetadata().withOwnerReferences().endMetadata());

  private static final String SERVICE = FLEET + "-internal";

  @Test
  void aFleetIsReachedByOneServiceThatIsKeptAndEachNodeByItsOwn() {
    createReady(2);

    assertThat(service().getSpec().getType()).isEqualTo("ClusterIP");
    assertThat(service().getSpec().getPublishNotReadyAddresses()).isNotEqualTo(true);
    assertThat(service().getSpec().getSelector()).isEqualTo(Map.of("sei.io/nodedeployment", FLEET));
    assertThat(service().getSpec().getPorts())
        .extracting(
            ServicePort::getName, ServicePort::getPort, port -> port.getTargetPort().getIntVal())
        .containsExactlyInAnyOrder(
            tuple("rpc", 26657, 26657), tuple("evm-http", 8545, 8545), tuple("rest", 1317, 1317));
    assertThat(service().getMetadata().getOwnerReferences())
        .singleElement()
        .matches(owner -> owner.getUid().equals(fleet().getMetadata().getUid()))
        .matches(owner -> owner.getController());
    assertThat(status().internalService())
        .isEqualTo(
            new InternalService(SERVICE, namespace, new InternalService.Ports(26657, 8545, 1317)));
    assertThat(status().perPodServices())
        .containsExactly(perPodService("fleet-0"), perPodService("fleet-1"));
    assertThat(status().endpoints())
        .isEqualTo(
            new Endpoints(
                "http://fleet-internal." + namespace + ".svc:26657",
                "http://fleet-internal." + namespace + ".svc:1317",
                List.of(endpoint("fleet-0"), endpoint("fleet-1"))));
    assertThat(node(1).getStatus().endpoint())
        .isEqualTo(
            new NodeEndpoint(
                "http://fleet-1." + namespace + ".svc:8545",
                "ws://fleet-1." + namespace + ".svc:8546",
                "http://fleet-1." + namespace + ".svc:26657",
                "http://fleet-1." + namespace + ".svc:1317"));

    operator.requests().clear();
    setImage(B);
    awaitUpToDate(2, B);

    assertThat(operator.requests().matching(FleetEndpointsTest::isAboutTheNetworkOfAFleet))
        .isEmpty();
    assertForeignEditsAreRevertedAndADeletedServiceComesBack();
  }

  private static boolean isAboutTheNetworkOfAFleet(RequestLog.Request request) {
    return request.path().endsWith("/services")
        || request.path().endsWith("/services/" + SERVICE)
        || request.path().contains("/httproutes");
  }

  private void assertForeignEditsAreRevertedAndADeletedServiceComesBack() {
    Service original = service();
    FOREIGN_EDITS.forEach(
        change -> {
          // An edit is refused if the operator has written since it was read.
          eventually(
              () ->
                  client
                      .resource(service())
                      .edit(service -> change.apply(new ServiceBuilder(service)).build()));
          assertReverted(original);
        });
    client.resource(service()).delete();
    eventually(
        () ->
            assertThat(service().getMetadata().getUid())
                .isNotEqualTo(original.getMetadata().getUid()));
    eventually(() -> assertThat(status().internalService()).isNotNull());
  }

  private void assertReverted(Service original) {
    eventually(
        () -> {
          assertThat(service().getSpec().getPorts())
              .containsExactlyInAnyOrderElementsOf(original.getSpec().getPorts());
          assertThat(service().getSpec().getSelector()).isEqualTo(original.getSpec().getSelector());
          assertThat(service().getSpec().getPublishNotReadyAddresses()).isNotEqualTo(true);
          assertThat(service().getMetadata().getOwnerReferences())
              .isEqualTo(original.getMetadata().getOwnerReferences());
        });
  }

  @Tag("long")
  @Test
  void aServiceOfSomebodyElseIsNamedAndLeftAlone() {
    Service foreign = client.resource(foreignService()).create();
    create(fleetSpec(1, A));

    eventually(
        () ->
            assertCondition(
                FleetConditionType.UP_TO_DATE, ConditionStatus.FALSE, "ServiceConflict"));
    assertThat(condition(FleetConditionType.UP_TO_DATE).message())
        .contains("Service " + SERVICE + " belongs to ConfigMap/somebody");
    eventually(() -> assertCondition(FleetConditionType.READY, ConditionStatus.TRUE));
    assertThat(status().internalService()).isNull();
    assertThat(status().endpoints().tendermintRpc()).isNull();
    assertThat(service().getMetadata().getResourceVersion())
        .isEqualTo(foreign.getMetadata().getResourceVersion());

    client.resource(foreign).delete();
    awaitAnotherLookAtFleets();

    awaitUpToDate(1, A);
    assertThat(status().internalService()).isNotNull();
  }

  private Service foreignService() {
    ConfigMap owner =
        client
            .resource(yaml(ConfigMap.class, "metadata: {name: somebody, namespace: %s}", namespace))
            .create();
    return yaml(
        Service.class,
        """
        metadata:
          name: %s
          namespace: %s
          ownerReferences:
          - {apiVersion: v1, kind: ConfigMap, name: somebody, uid: %s, controller: true}
        spec: {clusterIP: None}
        """,
        SERVICE,
        namespace,
        owner.getMetadata().getUid());
  }

  private Service service() {
    return read(Service.class, SERVICE);
  }

  private PerPodService perPodService(String name) {
    return new PerPodService(name, namespace, new PerPodService.Ports(8545, 8546));
  }

  private Endpoints.Node endpoint(String name) {
    return new Endpoints.Node(
        name,
        "http://" + name + "." + namespace + ".svc:8545",
        "ws://" + name + "." + namespace + ".svc:8546");
  }

  /** A fleet has one PodDisruptionBudget, and the disruption controller can work with it. */
  @Test
  void evictionsKeepToMaxUnavailableUnlessAUserHasABudget() {
    PodDisruptionBudget own =
        client
            .resource(
                new PodDisruptionBudgetBuilder()
                    .withNewMetadata()
                    .withName(FLEET)
                    .withNamespace(namespace)
                    .endMetadata()
                    .withNewSpec()
                    .withMinAvailable(new IntOrString(1))
                    .withNewSelector()
                    .addToMatchLabels("sei.io/nodedeployment", FLEET)
                    .endSelector()
                    .endSpec()
                    .build())
            .create();

    createReady(2);

    assertThat(budget().get().getSpec()).isEqualTo(own.getSpec());
    assertThat(budget().get().getMetadata().getManagedFields())
        .extracting(entry -> entry.getManager())
        .doesNotContain("seinodedeployment-controller");

    budget().delete();
    awaitAnotherLookAtFleets();

    eventually(
        () -> {
          assertThat(budget().get().getStatus().getExpectedPods()).isEqualTo(2);
          assertThat(budget().get().getStatus().getDisruptionsAllowed()).isEqualTo(1);
        });
    patch("{'spec':{'updateStrategy':{'inPlace':{'maxUnavailable':'100%'}}}}");
    eventually(() -> assertThat(budget().get().getStatus().getDisruptionsAllowed()).isEqualTo(2));
  }

  private Resource<PodDisruptionBudget> budget() {
    return client.policy().v1().podDisruptionBudget().inNamespace(namespace).withName(FLEET);
  }

  @Tag("long")
  @Test
  void theServiceOfAFleetLeadsToNodesThatHaveABlock() {
    ComponentProcess slices = controlPlane.startController("endpointslice");
    try {
      assertServiceLeadsToNodesThatHaveABlock();
    } finally {
      slices.kill();
    }
  }

  private void assertServiceLeadsToNodesThatHaveABlock() {
    kubelet.inject(namespace, FLEET + "-1-0", PodFault.NO_BLOCK);
    create(fleetSpec(2, A));

    eventually(
        () ->
            assertThat(served(SERVICE))
                .containsOnly(entry(FLEET + "-0-0", true), entry(FLEET + "-1-0", false)));
    eventually(
        () ->
            assertThat(served(FLEET + "-1"))
                .as("peers reach it")
                .containsOnly(entry(FLEET + "-1-0", true)));
    awaitRunning(1);
    stays(() -> assertThat(served(SERVICE)).containsEntry(FLEET + "-1-0", false));
    assertThat(nodeCondition(1, NodeConditionType.READY).status()).isEqualTo(ConditionStatus.FALSE);
    assertThat(status().readyReplicas()).isEqualTo(1);

    kubelet.clear(namespace, FLEET + "-1-0");

    eventually(() -> assertThat(served(SERVICE)).containsEntry(FLEET + "-1-0", true));
    awaitUpToDate(2, A);
  }

  private void awaitRunning(int ordinal) {
    eventually(
        () ->
            assertThat(nodeCondition(ordinal, NodeConditionType.UP_TO_DATE).status())
                .isEqualTo(ConditionStatus.TRUE));
  }

  /** The pods that a Service leads to, and whether they get its requests. */
  private Map<String, Boolean> served(String service) {
    return client
        .resources(EndpointSlice.class)
        .inNamespace(namespace)
        .withLabel("kubernetes.io/service-name", service)
        .list()
        .getItems()
        .stream()
        .flatMap(slice -> slice.getEndpoints().stream())
        .collect(
            Collectors.toMap(
                endpoint -> endpoint.getTargetRef().getName(), FleetEndpointsTest::serves));
  }

  private static boolean serves(Endpoint endpoint) {
    return endpoint.getConditions().getReady();
  }
}
