package io.sei.operator.fleet.genesis;

import static io.sei.operator.testkit.samples.FleetSample.aFleet;
import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.FleetGenesis;
import io.sei.operator.api.v1alpha1.Genesis;
import io.sei.operator.api.v1alpha1.NodeGenesis.ConfigMapKey;
import io.sei.operator.api.v1alpha1.NodeTemplate;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.Validator;
import io.sei.operator.api.v1alpha1.Validator.GenesisCeremony;
import io.sei.operator.api.v1alpha1.ValidatorBuilder;
import io.sei.operator.fleet.feature.FleetView;
import io.sei.operator.render.ChildRenderer;
import io.sei.operator.render.SpecHash;
import io.sei.operator.testkit.samples.FleetSample;
import io.sei.operator.testkit.samples.NodeSample;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

class ValidatorsTest {

  private static final ConfigMapKey MADE = new ConfigMapKey("fleet-genesis", "genesis.json.gz");
  private static final GenesisCeremony OF_ANOTHER_OPERATOR =
      new GenesisCeremony("lab-1", "10usei", "100usei", 0, null, null, null, null);
  private static final GenesisCeremony OWN =
      new GenesisCeremony(
          "lab-1", "10usei", "100usei", 1, "own-key", "own-id", MADE, List.of("id@own:1"));

  @Test
  void eachNodeHasItsKeysAndTheNextOneNone() {
    FleetView view =
        fleet()
            .status(status -> status.withGenesis(new FleetGenesis(2, MADE, List.of("a", "b"))))
            .view();

    assertThat(List.of(given(view, 0), given(view, 1), given(view, 2)))
        .allSatisfy(spec -> assertThat(spec.givenGenesis()).contains(MADE))
        .extracting(spec -> spec.signingKeySecret().orElse("none"))
        .containsExactly("fleet-0-signing-key", "fleet-1-signing-key", "none");
  }

  @Test
  void validatorsKnowEachOtherAndWhoJoinsKnowsThemAll() {
    FleetView view =
        fleet()
            .status(status -> status.withGenesis(new FleetGenesis(2, MADE, List.of("a", "b"))))
            .view();

    assertThat(List.of(peers(view, 0), peers(view, 1), peers(view, 2)))
        .containsExactly(
            List.of("b@" + address(1)),
            List.of("a@" + address(0)),
            List.of("a@" + address(0), "b@" + address(1)));
  }

  private static List<String> peers(FleetView view, int ordinal) {
    return given(view, ordinal).ceremony().orElseThrow().peers();
  }

  private static String address(int ordinal) {
    return "fleet-%1$d-0.fleet-%1$d.sei.svc.cluster.local:26656".formatted(ordinal);
  }

  @Test
  void nothingThatRestartsAPodDependsOnThem() {
    FleetView view =
        fleet()
            .status(status -> status.withGenesis(new FleetGenesis(2, MADE, List.of("a", "b"))))
            .view();
    NodeTemplate template = view.template();
    NodeTemplate given = Validators.given(view, template, 0);

    assertThat(SpecHash.of(given.spec(), null)).isEqualTo(SpecHash.of(template.spec(), null));
    assertThat(ChildRenderer.hash(view.deployment(), given)).isEqualTo(view.templateHash());
    assertThat(
            ChildRenderer.templateOf(new ChildRenderer().render(view.deployment(), 0, given))
                .spec()
                .ceremony())
        .isEmpty();
  }

  @Test
  void whatANodeHasStaysWithoutARecord() {
    FleetView view = fleet().child(1, FleetSample.A, with(OWN)).view();

    assertThat(given(view, 1).ceremony()).contains(OWN);
    assertThat(given(view, 0).ceremony()).isEmpty();
    assertThat(Validators.genesisOf(view)).contains(new FleetGenesis(2, MADE, null));
  }

  @Test
  void nodesOfAnotherOperatorsCeremonyAreLeftAsTheyAre() {
    FleetView view = fleet().child(0, FleetSample.A, with(OF_ANOTHER_OPERATOR)).view();

    assertThat(Validators.hadOthers(view)).isTrue();
    assertThat(Validators.genesisOf(view)).isEmpty();
    assertThat(given(view, 0).ceremony()).isEmpty();
  }

  @Test
  void aFleetThatOnceHadNodesHadOthers() {
    assertThat(Validators.hadOthers(fleet().view())).isFalse();
    assertThat(
            Validators.hadOthers(
                fleet().status(status -> status.withCompletedTemplateHash("v1:a")).view()))
        .isTrue();
    assertThat(
            Validators.hadOthers(
                fleet().status(status -> status.withIncumbentNodes(List.of("fleet-0"))).view()))
        .isTrue();
  }

  private static FleetSample fleet() {
    var genesis = new Genesis("lab-1", "10usei", "100usei", null, null, null);
    return aFleet(3, FleetSample.A)
        .template(spec -> spec.withFullNode(null).withValidator(ValidatorBuilder.builder().build()))
        .spec(spec -> spec.withGenesis(genesis));
  }

  private static SeiNodeSpec given(FleetView view, int ordinal) {
    return Validators.given(view, view.template(), ordinal).spec();
  }

  private static UnaryOperator<NodeSample> with(GenesisCeremony ceremony) {
    Validator validator = ValidatorBuilder.builder().genesisCeremony(ceremony).build();
    return node -> node.spec(spec -> spec.withFullNode(null).withValidator(validator));
  }
}
