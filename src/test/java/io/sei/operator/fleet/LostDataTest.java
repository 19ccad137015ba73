package io.sei.operator.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.sei.operator.api.v1alpha1.Archive;
import io.sei.operator.api.v1alpha1.DataVolume;
import io.sei.operator.api.v1alpha1.DataVolume.RetentionPolicy;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentSpecBuilder;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentStatus;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.render.ClaimRenderer;
import io.sei.operator.testkit.samples.FleetSample;
import io.sei.operator.testkit.samples.Samples;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Which nodes go with a fleet that is gone, however far the garbage collector is. */
class LostDataTest {

  private static final String UID = "uid-of-fleet";

  private final SeiNodeDeployment fleet = fleet("fleet-0", "fleet-1");

  @Test
  void nodesThatAreStillThereGoIfTheFleetOwnsThem() {
    assertThat(claims(owned("fleet-0"), owned("fleet-1")))
        .containsExactly("data-fleet-0", "data-fleet-1");
    assertThat(claims(owned("fleet-0"), ofNobody("fleet-1"))).containsExactly("data-fleet-0");
  }

  @Test
  void nodesThatTheGarbageCollectorTookFirstAreKnownByTheStatus() {
    assertThat(claims(owned("fleet-0"))).containsExactly("data-fleet-0", "data-fleet-1");
    assertThat(claims()).containsExactly("data-fleet-0", "data-fleet-1");
  }

  @Test
  void whatTheTemplateRetainsOfThemIsNotLost() {
    var template = fleet.getSpec().template();
    var retained = template.spec().withDataVolume(Samples.retained());
    fleet.setSpec(fleet.getSpec().withTemplate(template.withSpec(retained)));

    assertThat(claims()).isEmpty();
  }

  @Test
  void archivesThatAreGoneKeptTheirClaimsUnlessTheTemplateDeletesThem() {
    var template = fleet.getSpec().template();
    SeiNodeSpec archive = template.spec().withFullNode(null).withArchive(new Archive(null));
    fleet.setSpec(fleet.getSpec().withTemplate(template.withSpec(archive)));
    assertThat(claims()).isEmpty();

    SeiNodeSpec deleted =
        archive.withDataVolume(new DataVolume(null, RetentionPolicy.DELETE, null, null, null));
    fleet.setSpec(fleet.getSpec().withTemplate(template.withSpec(deleted)));
    assertThat(claims()).containsExactly("data-fleet-0", "data-fleet-1");
  }

  @Test
  void nothingIsKnownOfAFleetWithoutAStatus() {
    fleet.setStatus(null);

    assertThat(claims()).isEmpty();
  }

  private List<String> claims(SeiNode... left) {
    return LostData.goingWith(fleet, List.of(left)).stream()
        .map(ClaimRenderer::deletedWith)
        .flatMap(Optional::stream)
        .sorted()
        .toList();
  }

  private static SeiNodeDeployment fleet(String... nodes) {
    var fleet =
        Samples.fleet(
            "sei",
            "fleet",
            SeiNodeDeploymentSpecBuilder.builder()
                .replicas(nodes.length)
                .template(FleetSample.template(FleetSample.A))
                .build());
    fleet.getMetadata().setUid(UID);
    fleet.setStatus(SeiNodeDeploymentStatus.empty().withIncumbentNodes(Stream.of(nodes).toList()));
    return fleet;
  }

  private SeiNode owned(String name) {
    SeiNode node = ofNobody(name);
    node.getMetadata()
        .setOwnerReferences(
            List.of(new OwnerReferenceBuilder().withUid(UID).withController(true).build()));
    return node;
  }

  private SeiNode ofNobody(String name) {
    return Samples.node("sei", name, fleet.getSpec().template().spec());
  }
}
