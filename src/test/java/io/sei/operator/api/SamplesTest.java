package io.sei.operator.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.DataVolume;
import io.sei.operator.api.v1alpha1.FleetPhase;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.Snapshot;
import io.sei.operator.api.v1alpha1.Validator;
import io.sei.operator.api.validation.NodeValidation;
import io.sei.operator.render.ClaimRenderer;
import io.sei.operator.render.NodeMode;
import io.sei.operator.testkit.Cases;
import io.sei.operator.testkit.OperatorTestCase;
import io.sei.operator.testkit.TestSnapshots;
import io.sei.operator.testkit.samples.Samples;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Applies the manifests that users copy. */
class SamplesTest extends OperatorTestCase {

  private static final Path SAMPLES = Path.of("manifests", "samples");

  static Stream<Path> samples() throws IOException {
    try (Stream<Path> files = Files.list(SAMPLES)) {
      return files.sorted().toList().stream();
    }
  }

  static Stream<Path> nodes() throws IOException {
    return samples().filter(file -> isOne(file, SeiNode.KIND));
  }

  static Stream<Path> someNodes() throws IOException {
    return Cases.of(2, nodes().toList());
  }

  static Stream<Path> fleets() throws IOException {
    return samples().filter(file -> isOne(file, SeiNodeDeployment.KIND));
  }

  /** {@code kubectl apply -f manifests/samples/} would give one object two specs. */
  @Test
  void everySampleIsAnObjectOfItsOwn() throws IOException {
    assertThat(samples().flatMap(SamplesTest::read))
        .extracting(sample -> sample.getKind() + "/" + sample.getMetadata().getName())
        .doesNotHaveDuplicates();
  }

  @Test
  void serverKnowsEveryField() throws IOException {
    assertThat(samples().flatMap(SamplesTest::read))
        .allSatisfy(
            sample -> {
              var created = client.resource(sample).inNamespace(namespace).dryRun().create();

              // A field that the API server does not know would have been dropped in silence.
              assertThat((Object) created.get("spec")).isEqualTo(sample.get("spec"));
            });
  }

  @ParameterizedTest
  @MethodSource("someNodes")
  void nodeRuns(Path file) {
    SeiNode sample = node(file);
    assertThat(NodeValidation.validate(sample.getSpec())).isEmpty();
    Optional.ofNullable(sample.getSpec().validator())
        .filter(validator -> validator.signingKey() != null)
        .ifPresent(this::createSecrets);
    sample.getSpec().snapshotSource().ifPresent(from -> createSnapshot(sample, from));
    var node = client.resource(sample).inNamespace(namespace);
    node.create();

    eventually(
        () -> {
          assertThat(node.get().getStatus().phase()).isEqualTo(NodePhase.RUNNING);
          assertReadyAndUpToDate(node.get().getStatus().conditions());
        });
    String pod = sample.getMetadata().getName() + "-0";
    assertThat(kubelet.history(namespace, pod)).hasSize(1);
  }

  private void createSnapshot(SeiNode node, DataVolume.SnapshotSource from) {
    String image = node.getSpec().image();
    new TestSnapshots(client, namespace)
        .create(
            TestSnapshots.ready(
                TestSnapshots.of("sample", node.getSpec().chainId(), image)
                    .editMetadata()
                    .addToLabels(from.selector().matchLabels())
                    .endMetadata(),
                Instant.now()));
  }

  @ParameterizedTest
  @MethodSource("fleets")
  void fleetRuns(Path file) {
    SeiNodeDeployment sample = Serialization.unmarshal(text(file), SeiNodeDeployment.class);
    var fleet = client.resource(sample).inNamespace(namespace);
    fleet.create();

    eventually(
        () -> {
          assertThat(fleet.get().getStatus().phase()).isEqualTo(FleetPhase.READY);
          assertReadyAndUpToDate(fleet.get().getStatus().conditions());
        });
  }

  @Test
  void thereIsOneForEveryModeAndSourceAndNoValidatorAndNoArchiveLosesItsData() throws IOException {
    assertThat(nodes().map(file -> what(node(file).getSpec())))
        .contains(
            "FULL",
            "FULL from state sync",
            "FULL from S3",
            "FULL from a VolumeSnapshot",
            "FULL from S3 with a bootstrap",
            "ARCHIVE",
            "REPLAYER from S3",
            "SEED",
            "VALIDATOR",
            "VALIDATOR from state sync with keys");
    assertThat(fleets()).isNotEmpty();
    assertThat(nodes().map(SamplesTest::node))
        .allSatisfy(
            node -> {
              NodeMode mode = NodeMode.of(node.getSpec());
              assertThat(ClaimRenderer.isRetained(node))
                  .isEqualTo(mode == NodeMode.VALIDATOR || mode == NodeMode.ARCHIVE);
            });
  }

  private static String what(SeiNodeSpec spec) {
    Snapshot snapshot =
        Stream.of(
                Optional.ofNullable(spec.fullNode()).map(node -> node.snapshot()),
                Optional.ofNullable(spec.replayer()).map(replayer -> replayer.snapshot()),
                Optional.ofNullable(spec.validator()).map(validator -> validator.snapshot()))
            .flatMap(Optional::stream)
            .findFirst()
            .orElse(null);
    String empty = spec.snapshotSource().isPresent() ? " from a VolumeSnapshot" : "";
    String source =
        snapshot == null ? empty : snapshot.s3() == null ? " from state sync" : " from S3";
    boolean bootstraps = snapshot != null && snapshot.bootstrapImage() != null;
    boolean keys = spec.validator() != null && spec.validator().operatorKeyring() != null;
    return NodeMode.of(spec)
        + source
        + (bootstraps ? " with a bootstrap" : "")
        + (keys ? " with keys" : "");
  }

  private void createSecrets(Validator validator) {
    Samples.keysOf(validator)
        .forEach(secret -> client.resource(secret).inNamespace(namespace).create());
  }

  private static void assertReadyAndUpToDate(List<Condition> conditions) {
    assertThat(List.of(NodeConditionType.READY, NodeConditionType.UP_TO_DATE))
        .allSatisfy(type -> assertThat(Conditions.isTrue(conditions, type)).isTrue());
  }

  private static SeiNode node(Path file) {
    return Serialization.unmarshal(text(file), SeiNode.class);
  }

  /** The objects of a file. */
  private static Stream<GenericKubernetesResource> read(Path file) {
    return Stream.of(text(file).split("(?m)^---$"))
        .map(text -> Serialization.unmarshal(text, GenericKubernetesResource.class));
  }

  /** Files with several objects have tests of their own. */
  private static boolean isOne(Path file, String kind) {
    return read(file).map(GenericKubernetesResource::getKind).toList().equals(List.of(kind));
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
