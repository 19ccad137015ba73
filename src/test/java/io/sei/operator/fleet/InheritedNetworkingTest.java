package io.sei.operator.fleet;

import static io.sei.operator.testkit.samples.Samples.yaml;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.api.model.gatewayapi.v1.HTTPRoute;
import io.fabric8.kubernetes.api.model.gatewayapi.v1.HTTPRouteBuilder;
import io.sei.operator.api.v1alpha1.DataVolume.RetentionPolicy;
import io.sei.operator.api.v1alpha1.Networking;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentSpec;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentSpecBuilder;
import io.sei.operator.base.PerObjectState;
import io.sei.operator.fleet.feature.Retention;
import io.sei.operator.render.FleetOwner;
import io.sei.operator.testkit.SingleQuoted;
import io.sei.operator.testkit.samples.Samples;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** Decides when networking objects of the Go operator are reported, deleted, released and read. */
public class InheritedNetworkingTest {

  private static final Instant NOW = Instant.parse("2026-06-01T12:00:00Z");
  private static final Networking TCP = new Networking(null, new Networking.Tcp());

  private final SeiNodeDeployment fleet = fleet(spec -> spec);

  @Test
  void whatThereIsIsNamedByKindAndOrdinal() {
    var inherited =
        InheritedNetworking.of(
            fleet,
            List.of(
                service("fleet-10-p2p", fleet),
                service("fleet-2-p2p", fleet),
                service("fleet-external", fleet),
                service("fleet-internal", fleet),
                service("fleet-x-p2p", fleet),
                service("mine", fleet)),
            List.of(route("fleet-rpc", fleet), route("fleet-evm", fleet)));

    assertThat(inherited.words())
        .contains(
            "Service fleet-external, fleet-2-p2p, fleet-10-p2p and HTTPRoute fleet-evm, fleet-rpc");
    assertThat(inherited.isEmpty()).isFalse();
  }

  @Test
  void whatOthersHaveTakenOverIsNotNamed() {
    Service theirs = service("fleet-external", fleet);
    theirs.getMetadata().setOwnerReferences(List.of(somebody(true)));
    Service going = service("fleet-0-p2p", fleet);
    going.getMetadata().setDeletionTimestamp("2026-06-01T12:00:00Z");

    var inherited = InheritedNetworking.of(fleet, List.of(theirs, going), List.of());

    assertThat(inherited.words()).isEmpty();
    assertThat(inherited.isEmpty()).isTrue();
  }

  @Test
  void nodesThatHaveNoP2pServiceAreNamedWhereOthersHaveOne() {
    SeiNodeDeployment wanting = fleet(spec -> spec.withNetworking(TCP));

    assertThat(
            InheritedNetworking.of(wanting, List.of(service("fleet-0-p2p", wanting)), List.of())
                .words())
        .contains("Service fleet-0-p2p (nodes without a P2P Service: fleet-1)");
  }

  @Test
  void onlyP2pServicesOfTheFleetBeyondItsSizeAreSuperfluous() {
    Service retained = service("fleet-3-p2p", fleet);
    retained.getMetadata().setOwnerReferences(List.of());
    retained.getMetadata().getAnnotations().put("sei.io/retained", "true");
    Service nobodys = service("fleet-4-p2p", fleet);
    nobodys.getMetadata().setOwnerReferences(List.of());
    Service theirs = service("fleet-5-p2p", fleet);
    theirs.getMetadata().setOwnerReferences(List.of(somebody(true)));
    Service going = service("fleet-6-p2p", fleet);
    going.getMetadata().setDeletionTimestamp("2026-06-01T12:00:00Z");

    assertThat(
            InheritedNetworking.of(
                    fleet,
                    List.of(
                        service("fleet-1-p2p", fleet),
                        service("fleet-2-p2p", fleet),
                        service("fleet-external", fleet),
                        retained,
                        nobodys,
                        theirs,
                        going),
                    List.of())
                .superfluous())
        .extracting(service -> service.getMetadata().getName())
        .containsExactly("fleet-2-p2p", "fleet-3-p2p");
  }

  @Test
  void theRetainPolicyTakesTheFleetOffAndLeavesOtherOwners() {
    SeiNodeDeployment retaining = fleet(spec -> spec.withDeletionPolicy(RetentionPolicy.RETAIN));
    Service service = service("fleet-external", retaining);
    service.getMetadata().getOwnerReferences().add(somebody(false));

    assertThat(Retention.patch(service, retaining).map(SingleQuoted::json))
        .contains(
            SingleQuoted.json(
                "{'metadata':{'resourceVersion':'7','ownerReferences':[{'apiVersion':'v1',"
                    + "'kind':'ConfigMap','name':'somebody','uid':'other','controller':false}],"
                    + "'annotations':{'sei.io/retained':'true'}}}"));
    service.getMetadata().setOwnerReferences(List.of(somebody(true)));
    assertThat(Retention.patch(service, retaining)).isEmpty();
  }

  @Test
  void onlyWhatTheRetainPolicyTookOffIsGivenBack() {
    Service service = service("fleet-external", fleet);
    assertThat(Retention.patch(service, fleet)).isEmpty();

    service.getMetadata().setOwnerReferences(new ArrayList<>());
    assertThat(Retention.patch(service, fleet)).isEmpty();

    service.getMetadata().getAnnotations().put("sei.io/retained", "true");
    String patch = Retention.patch(service, fleet).orElseThrow();
    assertThat(SingleQuoted.json(patch).at("/metadata/ownerReferences/0/uid").asText())
        .isEqualTo("uid");
    assertThat(SingleQuoted.json(patch).at("/metadata/annotations").has("sei.io/retained"))
        .isTrue();
    assertThat(SingleQuoted.json(patch).at("/metadata/annotations/sei.io~1retained").isNull())
        .isTrue();

    service.getMetadata().setOwnerReferences(List.of(somebody(true)));
    assertThat(Retention.patch(service, fleet)).isEmpty();
  }

  @Test
  void routesAreReadWhereSomethingPointsToThemAndAgainWhenThatChangesOrIsOld() {
    var reads = new ArrayList<Instant>();
    var reader =
        new RouteReader(
            fleet -> {
              reads.add(NOW);
              return List.of(route("fleet-evm", fleet));
            },
            new PerObjectState<>());
    SeiNodeDeployment wanting = fleet(spec -> spec.withNetworking(TCP));
    var external = List.of(service("fleet-external", wanting));

    assertThat(reader.read(none(fleet), NOW)).isEmpty();
    assertThat(reads).isEmpty();

    assertThat(reader.read(none(wanting), NOW)).hasSize(1);
    assertThat(reader.read(none(wanting), NOW.plusSeconds(599))).hasSize(1);
    assertThat(reads).hasSize(1);

    reader.read(none(wanting), NOW.plus(Duration.ofMinutes(10)));
    assertThat(reads).as("old").hasSize(2);
    reader.read(none(wanting), NOW.minus(Duration.ofHours(1)));
    assertThat(reads).as("the clock was set back").hasSize(3);
    reader.read(InheritedNetworking.of(wanting, external, List.of()), NOW);
    assertThat(reads).as("another Service").hasSize(4);
    SeiNodeDeployment retaining =
        fleet(spec -> spec.withNetworking(TCP).withDeletionPolicy(RetentionPolicy.RETAIN));
    reader.read(InheritedNetworking.of(retaining, external, List.of()), NOW);
    assertThat(reads).as("another policy").hasSize(5);
    reader.read(InheritedNetworking.of(retaining, external, List.of()), NOW);
    assertThat(reads).hasSize(5);
  }

  public static Service service(String name, SeiNodeDeployment fleet) {
    return new ServiceBuilder().withMetadata(metadata(name, fleet)).build();
  }

  private static HTTPRoute route(String name, SeiNodeDeployment fleet) {
    return new HTTPRouteBuilder().withMetadata(metadata(name, fleet)).build();
  }

  private static ObjectMeta metadata(String name, HasMetadata fleet) {
    return new ObjectMetaBuilder()
        .withName(name)
        .withNamespace("sei")
        .withUid("uid of " + name)
        .withResourceVersion("7")
        .addToAnnotations("note", "by hand")
        .addToLabels("sei.io/nodedeployment", "fleet")
        .addToOwnerReferences(FleetOwner.reference((SeiNodeDeployment) fleet))
        .build();
  }

  private static OwnerReference somebody(boolean controller) {
    return yaml(
        OwnerReference.class,
        """
        {apiVersion: v1, kind: ConfigMap, name: somebody, uid: other, controller: %s}
        """,
        controller);
  }

  private static InheritedNetworking none(SeiNodeDeployment fleet) {
    return InheritedNetworking.of(fleet, List.of(), List.of());
  }

  private static SeiNodeDeployment fleet(UnaryOperator<SeiNodeDeploymentSpec> change) {
    var fleet =
        Samples.fleet(
            "sei",
            "fleet",
            change.apply(SeiNodeDeploymentSpecBuilder.builder().replicas(2).build()));
    fleet.getMetadata().setUid("uid");
    return fleet;
  }
}
