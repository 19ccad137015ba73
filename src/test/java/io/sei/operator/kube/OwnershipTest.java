package io.sei.operator.kube;

import static io.sei.operator.testkit.samples.Samples.yaml;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.OwnerReference;
import org.junit.jupiter.api.Test;

class OwnershipTest {

  private static final String US = "us";

  @Test
  void objectWithoutReferencesBelongsToNobody() {
    assertThat(Ownership.of(object(), US)).isEqualTo(new Ownership.Unowned());
  }

  @Test
  void objectWithOurReferenceIsOurs() {
    assertThat(Ownership.of(object(reference(US, true)), US)).isEqualTo(new Ownership.Ours());
  }

  @Test
  void controllerOfTheSameNameButAnotherUidIsForeign() {
    assertThat(Ownership.of(object(reference("earlier", true)), US))
        .isEqualTo(new Ownership.Foreign("SeiNode/node"));
  }

  @Test
  void ownerThatIsNoControllerDoesNotMakeAnObjectForeign() {
    assertThat(Ownership.of(object(reference("other", false)), US))
        .isEqualTo(new Ownership.Unowned());
    assertThat(Ownership.of(object(reference("other", null)), US))
        .isEqualTo(new Ownership.Unowned());
  }

  @Test
  void anotherControllerBesideOurReferenceHasTheSay() {
    assertThat(Ownership.of(object(reference(US, false), reference("other", true)), US))
        .isEqualTo(new Ownership.Foreign("SeiNode/node"));
  }

  private static ConfigMap object(OwnerReference... references) {
    return new ConfigMapBuilder()
        .withNewMetadata()
        .withOwnerReferences(references)
        .endMetadata()
        .build();
  }

  private static OwnerReference reference(String uid, Boolean controller) {
    return yaml(
        OwnerReference.class,
        "{kind: SeiNode, name: node, uid: %s, controller: %s}",
        uid,
        controller);
  }
}
