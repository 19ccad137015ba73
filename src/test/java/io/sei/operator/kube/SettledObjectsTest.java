package io.sei.operator.kube;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.apps.StatefulSetBuilder;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class SettledObjectsTest {

  private static final ResourceID OWNER = new ResourceID("a", "ns");
  private static final String INTENT = "intent";

  private final SettledObjects settled = new SettledObjects();

  @Test
  void nothingIsSettledBeforeItWasFoundSo() {
    assertThat(settled.contains(OWNER, INTENT, statefulSet())).isFalse();
  }

  @Test
  void whatOnlyItsStatusChangesStaysSettled() {
    settled.add(OWNER, INTENT, statefulSet());

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

    assertThat(settled.contains(OWNER, INTENT, reported)).isTrue();
  }

  static Stream<Arguments> changes() {
    return Stream.of(
        change("spec", it -> it.edit().editMetadata().withGeneration(2L).endMetadata().build()),
        change("another object", it -> it.edit().editMetadata().withUid("v").endMetadata().build()),
        change("label", it -> it.edit().editMetadata().addToLabels("l", "2").endMetadata().build()),
        change(
            "annotation",
            it -> it.edit().editMetadata().addToAnnotations("x", "1").endMetadata().build()),
        change(
            "owner",
            it ->
                it.edit()
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
  void changeOfAnythingRenderedUnsettles(String what, UnaryOperator<StatefulSet> change) {
    settled.add(OWNER, INTENT, statefulSet());

    assertThat(settled.contains(OWNER, INTENT, change.apply(statefulSet()))).isFalse();
  }

  @Test
  void changedIntentUnsettles() {
    settled.add(OWNER, INTENT, statefulSet());

    assertThat(settled.contains(OWNER, "another", statefulSet())).isFalse();
  }

  @Test
  void kindWithoutGenerationIsSettledForOneResourceVersion() {
    settled.add(OWNER, INTENT, service("1"));

    assertThat(settled.contains(OWNER, INTENT, service("1"))).isTrue();
    assertThat(settled.contains(OWNER, INTENT, service("2"))).isFalse();
  }

  @Test
  void objectsOfAForgottenOwnerAreNotSettled() {
    settled.add(OWNER, INTENT, statefulSet());
    settled.add(new ResourceID("b", "ns"), INTENT, statefulSet());

    settled.forget(OWNER);

    assertThat(settled.contains(OWNER, INTENT, statefulSet())).isFalse();
    assertThat(settled.contains(new ResourceID("b", "ns"), INTENT, statefulSet())).isTrue();
  }

  @Test
  void intentOfAResourceLeavesItsStatusOut() {
    HasMetadata resource = statefulSet();
    HasMetadata reported =
        statefulSet().edit().editMetadata().withResourceVersion("9").endMetadata().build();

    assertThat(SettledObjects.Intent.of(reported)).isEqualTo(SettledObjects.Intent.of(resource));
  }

  private static StatefulSet statefulSet() {
    return new StatefulSetBuilder()
        .withNewMetadata()
        .withName("a")
        .withUid("u")
        .withGeneration(1L)
        .withResourceVersion("1")
        .addToLabels("l", "1")
        .endMetadata()
        .build();
  }

  private static Service service(String resourceVersion) {
    return new ServiceBuilder()
        .withNewMetadata()
        .withName("a")
        .withUid("u")
        .withResourceVersion(resourceVersion)
        .endMetadata()
        .build();
  }
}
