package io.sei.operator.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.DeletionPropagation;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Service;
import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.FleetConditionType;
import io.sei.operator.api.v1alpha1.Networking;
import io.sei.operator.testkit.Cases;
import io.sei.operator.testkit.controlplane.ExclusiveControlPlane;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Keeps the networking objects that the Go operator made for a fleet, reports them, and deletes or
 * leaves them with it.
 */
@ExclusiveControlPlane
class InheritedNetworkingOnClusterTest extends FleetTestCase {

  private static final List<String> ALL =
      List.of(
          "HTTPRoute fleet-evm",
          "HTTPRoute fleet-rpc",
          "Service fleet-0-p2p",
          "Service fleet-1-p2p",
          "Service fleet-external",
          "Service fleet-internal");

  private GoNetworking left;

  @BeforeEach
  void takeOver() {
    GoNetworking.installRoutes(client);
    left = new GoNetworking(client, namespace);
    operator.stop();
    left.leaveBehind(
        create(
            fleetSpec(2, A)
                .withNetworking(new Networking(new Networking.Http(), new Networking.Tcp()))));
    operator.requests().clear();
  }

  @Test
  void itIsKeptAndNamedAndReadOnce() {
    Map<String, String> before = versions();
    operator.start();
    awaitUpToDate(2, A);

    eventually(
        () ->
            assertCondition(
                FleetConditionType.NETWORKING_READY, ConditionStatus.FALSE, "NotManaged"));
    Condition networking = condition(FleetConditionType.NETWORKING_READY);
    assertThat(networking.message())
        .contains("Service fleet-external, fleet-0-p2p, fleet-1-p2p")
        .contains("HTTPRoute fleet-evm, fleet-rpc");
    Service internal = left.service("fleet-internal");
    assertThat(internal.getMetadata().getUid()).isEqualTo(before.get("uid of fleet-internal"));
    assertThat(internal.getMetadata().getAnnotations()).containsKey("sei.io/rendered-hash");
    awaitAnotherLook();
    before.keySet().removeIf(key -> key.contains("fleet-internal"));
    assertThat(versions()).containsAllEntriesOf(before);
    assertThat(operator.requests().matching(request -> request.path().contains("/httproutes")))
        .hasSize(1);

    patch("{'spec':{'replicas':1}}");

    eventually(() -> assertThat(left.service("fleet-1-p2p")).isNull());
    assertThat(left.service("fleet-0-p2p").getMetadata().getDeletionTimestamp()).isNull();
    eventually(
        () ->
            assertThat(condition(FleetConditionType.NETWORKING_READY).message())
                .doesNotContain("fleet-1-p2p"));
  }

  static Stream<DeletionPropagation> ways() {
    return Cases.of(1, DeletionPropagation.BACKGROUND, DeletionPropagation.FOREGROUND);
  }

  @Tag("long")
  @ParameterizedTest
  @MethodSource("ways")
  void itOutlivesAFleetWithTheRetainPolicy(DeletionPropagation propagation) {
    patch("{'spec':{'deletionPolicy':'Retain'}}");
    operator.start();
    awaitUpToDate(2, A);
    eventually(() -> assertThat(left.objects()).noneMatch(this::isOwned));

    delete(propagation);

    eventually(() -> assertThat(fleet()).isNull());
    awaitGarbageCollector();
    assertThat(left.names()).isEqualTo(ALL);
  }

  @Tag("long")
  @Test
  void whatIsFoundAtDeletionAloneIsRetainedToo() {
    patch(
        "{'metadata':{'finalizers':['sei.io/seinodedeployment-finalizer']},"
            + "'spec':{'deletionPolicy':'Retain'}}");
    delete(DeletionPropagation.BACKGROUND);

    operator.start();

    eventually(() -> assertThat(fleet()).isNull());
    assertThat(left.objects()).noneMatch(this::isOwned);
    assertThat(left.names()).isEqualTo(ALL);
  }

  @Tag("long")
  @Test
  void itGoesWithAFleetThatIsNoLongerToBeRetained() {
    patch("{'spec':{'deletionPolicy':'Retain'}}");
    operator.start();
    eventually(() -> assertThat(left.objects()).hasSize(6).noneMatch(this::isOwned));

    patch("{'spec':{'deletionPolicy':'Delete'}}");

    eventually(() -> assertThat(left.objects()).hasSize(6).allMatch(this::isOwned));
    delete(DeletionPropagation.BACKGROUND);
    eventually(() -> assertThat(left.names()).isEmpty());
  }

  @Test
  @Tag("long")
  void itIsOrphanedWithTheFleet() {
    left.awaitCollectionOfRoutes();
    operator.start();
    awaitUpToDate(2, A);

    delete(DeletionPropagation.ORPHAN);

    eventually(() -> assertThat(fleet()).isNull());
    eventually(() -> assertThat(left.objects()).noneMatch(this::isOwned));
    assertThat(left.names()).isEqualTo(ALL);
    assertThat(nodes()).hasSize(2).noneMatch(this::isOwned);
  }

  private boolean isOwned(HasMetadata object) {
    return !object.getMetadata().getOwnerReferences().isEmpty();
  }

  private void delete(DeletionPropagation propagation) {
    client.resource(fleet()).withPropagationPolicy(propagation).delete();
  }

  private Map<String, String> versions() {
    Map<String, String> versions =
        left.objects().stream()
            .collect(
                Collectors.toMap(
                    object -> "version of " + object.getMetadata().getName(),
                    object -> object.getMetadata().getResourceVersion()));
    left.objects()
        .forEach(
            object ->
                versions.put(
                    "uid of " + object.getMetadata().getName(), object.getMetadata().getUid()));
    return versions;
  }
}
