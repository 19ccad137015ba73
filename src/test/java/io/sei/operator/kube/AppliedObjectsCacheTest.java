package io.sei.operator.kube;

import static io.sei.operator.testkit.samples.Samples.yaml;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.base.PerObjectState;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class AppliedObjectsCacheTest {

  private static final ResourceID OWNER = new ResourceID("a", "ns");
  private static final Intent INTENT = intent("a");

  private final PerObjectState<ResourceID> memory = new PerObjectState<>();
  private final AppliedObjectsCache clean = new AppliedObjectsCache(memory);

  @Test
  void nothingIsCleanBeforeItWasFoundSo() {
    assertThat(clean.contains(INTENT, statefulSet())).isFalse();
  }

  @Test
  void whatOnlyItsStatusChangesStaysClean() {
    clean.add(INTENT, statefulSet());

    StatefulSet reported =
        statefulSet()
            .edit()
            .editMetadata()
            .withResourceVersion("2")
            .endMetadata()
            .withNewStatus()
            .withReadyReplicas(1)
            .endStatus()
            .build();

    assertThat(clean.contains(INTENT, reported)).isTrue();
  }

  static Stream<Arguments> changes() {
    return Stream.of(
        change(
            "spec",
            statefulSet ->
                statefulSet.edit().editMetadata().withGeneration(2L).endMetadata().build()),
        change(
            "another object",
            statefulSet -> statefulSet.edit().editMetadata().withUid("v").endMetadata().build()),
        change(
            "label",
            statefulSet ->
                statefulSet.edit().editMetadata().addToLabels("l", "2").endMetadata().build()),
        change(
            "annotation",
            statefulSet ->
                statefulSet.edit().editMetadata().addToAnnotations("x", "1").endMetadata().build()),
        change(
            "owner",
            statefulSet ->
                statefulSet
                    .edit()
                    .editMetadata()
                    .addToOwnerReferences(new OwnerReferenceBuilder().withUid("o").build())
                    .endMetadata()
                    .build()));
  }

  private static Arguments change(String what, UnaryOperator<StatefulSet> change) {
    return Arguments.of(what, change);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("changes")
  void changeOfAnythingRenderedEndsIt(String what, UnaryOperator<StatefulSet> change) {
    clean.add(INTENT, statefulSet());

    assertThat(clean.contains(INTENT, change.apply(statefulSet()))).isFalse();
  }

  @Test
  void changedIntentEndsIt() {
    clean.add(INTENT, statefulSet());

    assertThat(clean.contains(Intent.of(statefulSet(), "another"), statefulSet())).isFalse();
  }

  @Test
  void kindWithoutGenerationIsCleanForOneResourceVersion() {
    clean.add(INTENT, service("1"));

    assertThat(clean.contains(INTENT, service("1"))).isTrue();
    assertThat(clean.contains(INTENT, service("2"))).isFalse();
  }

  @Test
  void objectsOfAnOwnerThatIsGoneAreNotClean() {
    clean.add(INTENT, statefulSet());
    clean.add(intent("b"), statefulSet());

    memory.drop(OWNER);

    assertThat(clean.contains(INTENT, statefulSet())).isFalse();
    assertThat(clean.contains(intent("b"), statefulSet())).isTrue();
  }

  @Test
  void intentOfAResourceLeavesItsStatusOut() {
    HasMetadata resource = statefulSet();
    HasMetadata reported =
        statefulSet().edit().editMetadata().withResourceVersion("9").endMetadata().build();

    assertThat(Intent.of(reported)).isEqualTo(Intent.of(resource));
  }

  private static Intent intent(String owner) {
    return Intent.of(
        statefulSet()
            .edit()
            .editMetadata()
            .withName(owner)
            .withNamespace("ns")
            .endMetadata()
            .build());
  }

  private static StatefulSet statefulSet() {
    return yaml(
        StatefulSet.class,
        """
        metadata: {name: a, uid: u, generation: 1, resourceVersion: '1', labels: {l: '1'}}
        """);
  }

  private static Service service(String resourceVersion) {
    return yaml(
        Service.class, "metadata: {name: a, uid: u, resourceVersion: '%s'}", resourceVersion);
  }
}
