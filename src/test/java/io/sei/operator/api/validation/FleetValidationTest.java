package io.sei.operator.api.validation;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.IntOrString;
import io.sei.operator.api.v1alpha1.DataVolume;
import io.sei.operator.api.v1alpha1.FleetDataVolume;
import io.sei.operator.api.v1alpha1.FleetDataVolume.Snapshots;
import io.sei.operator.api.v1alpha1.FleetGenesis;
import io.sei.operator.api.v1alpha1.Genesis;
import io.sei.operator.api.v1alpha1.NodeGenesis.ConfigMapKey;
import io.sei.operator.api.v1alpha1.NodeTemplate;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentSpec;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentSpecBuilder;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentStatus;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.UpdateStrategy;
import io.sei.operator.api.v1alpha1.UpdateStrategy.InPlace;
import io.sei.operator.api.v1alpha1.Validator;
import io.sei.operator.api.v1alpha1.Validator.GenesisCeremony;
import io.sei.operator.api.v1alpha1.ValidatorBuilder;
import io.sei.operator.testkit.samples.Samples;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The rules of a deployment that the operator checks itself. */
class FleetValidationTest {

  private static final String LIMITS = "spec.updateStrategy.inPlace.";

  static Stream<Arguments> broken() {
    return Stream.of(
        Arguments.of("spec.dataVolume.snapshots.schedule", scheduled(valid(), "daily")),
        Arguments.of("spec.dataVolume.snapshots.schedule", scheduled(valid(), "0 0 30 2 *")),
        Arguments.of(
            "spec.dataVolume.snapshots",
            scheduled(of(SpecSamples.validator(signing())).withReplicas(1), "0 3 * * *")),
        Arguments.of("spec.replicas", valid().withReplicas(0)),
        Arguments.of("spec.replicas", valid().withReplicas(-1)),
        Arguments.of("spec.template.spec", of(SpecSamples.fullNode().withFullNode(null))),
        Arguments.of("spec.replicas", of(SpecSamples.validator(signing())).withReplicas(2)),
        Arguments.of("spec.replicas", of(SpecSamples.validator(ofCeremony())).withReplicas(2)),
        Arguments.of("spec.replicas", of(SpecSamples.seed("key")).withReplicas(2)),
        Arguments.of("spec.replicas", of(importing()).withReplicas(2)),
        Arguments.of(
            "spec.template.spec.dataResetGeneration",
            of(SpecSamples.fullNode().withDataResetGeneration(1L))),
        Arguments.of("spec.template.spec.dataVolume.acceptDataLoss", of(accepting("uid"))),
        Arguments.of(LIMITS + "maxUnavailable", unavailable(new IntOrString(0))),
        Arguments.of(LIMITS + "maxUnavailable", unavailable(new IntOrString(-1))),
        Arguments.of(LIMITS + "maxUnavailable", unavailable(new IntOrString("0%"))),
        Arguments.of(LIMITS + "maxUnavailable", unavailable(new IntOrString("101%"))),
        Arguments.of(LIMITS + "maxUnavailable", unavailable(new IntOrString("half"))),
        Arguments.of(LIMITS + "maxUnavailable", unavailable(new IntOrString("2"))));
  }

  @ParameterizedTest
  @CsvSource({"2, 2, false", "1, 2, true", "3, 2, true", "3, 0, false"})
  void fleetThatMadeItsChainHasAsManyNodesAsValidators(
      int replicas, int validators, boolean refused) {
    var fleet = new SeiNodeDeployment();
    fleet.setSpec(valid().withReplicas(replicas));
    FleetGenesis genesis =
        validators == 0
            ? FleetGenesis.begun()
            : new FleetGenesis(validators, new ConfigMapKey("chain", null), null);
    fleet.setStatus(SeiNodeDeploymentStatus.empty().withGenesis(genesis));

    assertThat(FleetValidation.validate(fleet).stream().map(FieldError::path).toList())
        .isEqualTo(refused ? List.of("spec.replicas") : List.of());
  }

  @ParameterizedTest
  @MethodSource("broken")
  void aBrokenRuleNamesItsField(String field, SeiNodeDeploymentSpec spec) {
    assertThat(FleetValidation.validate(spec)).extracting(FieldError::path).containsExactly(field);
  }

  @Test
  void twoModesAreNamedInTheTemplate() {
    SeiNodeSpec both = SpecSamples.fullNode().withArchive(SpecSamples.archive(null).archive());

    assertThat(FleetValidation.validate(of(both)))
        .isNotEmpty()
        .allMatch(error -> error.path().startsWith("spec.template.spec"));
  }

  @Test
  void everyBrokenRuleIsNamed() {
    assertThat(FleetValidation.validate(unavailable(new IntOrString(0)).withReplicas(0)))
        .hasSize(2);
  }

  @ParameterizedTest
  @ValueSource(strings = {"1%", "9%", "50%", "100%"})
  void percentagesAreAccepted(String percentage) {
    assertThat(FleetValidation.validate(unavailable(new IntOrString(percentage)))).isEmpty();
  }

  static List<SeiNodeDeploymentSpec> accepted() {
    return List.of(
        valid(),
        valid().withReplicas(100),
        limits(null),
        limits(new InPlace(null, null, null, null, null)),
        limits(new InPlace(new IntOrString(100), 0, 0, 1, null)),
        of(SpecSamples.validator(signing())).withReplicas(1),
        of(SpecSamples.validator(new Validator(null, null, null, null, null, null, null, null)))
            .withReplicas(4)
            .withGenesis(genesis()));
  }

  @ParameterizedTest
  @MethodSource("accepted")
  void validSpecsAreAccepted(SeiNodeDeploymentSpec spec) {
    assertThat(FleetValidation.validate(spec)).isEmpty();
  }

  private static SeiNodeDeploymentSpec valid() {
    return of(SpecSamples.fullNode());
  }

  private static SeiNodeDeploymentSpec of(SeiNodeSpec node) {
    return SeiNodeDeploymentSpecBuilder.builder()
        .replicas(3)
        .template(new NodeTemplate(null, node))
        .build();
  }

  private static SeiNodeDeploymentSpec unavailable(IntOrString value) {
    return limits(new InPlace(value, null, null, null, null));
  }

  private static SeiNodeDeploymentSpec limits(InPlace limits) {
    return valid()
        .withUpdateStrategy(new UpdateStrategy(UpdateStrategy.Type.IN_PLACE, limits, null));
  }

  private static SeiNodeSpec importing() {
    return SpecSamples.fullNode().withDataVolume(Samples.imported("brought"));
  }

  private static SeiNodeSpec accepting(String claim) {
    return SpecSamples.fullNode().withDataVolume(new DataVolume(null, null, null, null, claim));
  }

  private static Genesis genesis() {
    return new Genesis("devnet", null, null, null, null, null);
  }

  private static Validator signing() {
    return new Validator(
        null,
        null,
        new Validator.SigningKey(new Validator.KeySecret("signing")),
        new Validator.NodeKey(new Validator.KeySecret("node")),
        null,
        null,
        null,
        null);
  }

  private static Validator ofCeremony() {
    var ceremony = new GenesisCeremony("lab-1", "1usei", "2usei", 0, "signing", "node", null, null);
    return ValidatorBuilder.builder().genesisCeremony(ceremony).build();
  }

  private static SeiNodeDeploymentSpec scheduled(SeiNodeDeploymentSpec spec, String schedule) {
    return spec.withDataVolume(new FleetDataVolume(new Snapshots(schedule, "class", null, null)));
  }
}
