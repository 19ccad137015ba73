package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.apps.StatefulSetBuilder;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.render.Annotations;
import io.sei.operator.render.Names;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A pod of the version before 0.1.0, whose template differs in all that 0.1.0 changes. */
class UpgradedTemplateTest extends IdentityTestCase {

  @Tag("long")
  @Test
  void whatAnUpgradeChangesIsToldOnceInWordsAndComesWithTheNextImage() {
    createRunning();
    operator.stop();
    applyAsTheVersionBefore();
    String first = podUid();
    client.resource(pod()).delete();
    eventually(() -> assertThat(podUid()).isNotEqualTo(first));
    eventually(() -> assertThat(sidecar(pod()).getCommand()).containsExactly("seictl", "serve"));
    String pod = podUid();

    operator.start();

    eventually(
        () -> {
          assertCondition(
              NodeConditionType.RESTART_PENDING, ConditionStatus.TRUE, NodeReason.TEMPLATE_CHANGED);
          assertThat(condition(NodeConditionType.RESTART_PENDING).message())
              .isEqualTo(
                  "the pod runs an older template; it differs in readinessProbe of container seid,"
                      + " enableServiceLinks, args of container sei-sidecar");
        });
    awaitUpToDate(A);
    awaitQuiet();
    stays(() -> assertThat(podUid()).isEqualTo(pod));
    assertThat(events("RestartPending")).hasSize(1);

    setImage(B);

    awaitUpToDate(B);
    assertThat(sidecar(pod()).getCommand()).isEmpty();
    assertThat(sidecar(pod()).getArgs()).containsExactly("serve");
    assertThat(pod().getSpec().getEnableServiceLinks()).isFalse();
    assertThat(Annotations.of(pod(), Annotations.BODY_HASH)).isPresent();
    assertCondition(NodeConditionType.RESTART_PENDING, ConditionStatus.FALSE);
    assertThat(podUids()).hasSize(3);
  }

  private void applyAsTheVersionBefore() {
    StatefulSet older =
        new StatefulSetBuilder(statefulSet())
            .withStatus(null)
            .editMetadata()
            .withManagedFields(List.of())
            .withResourceVersion(null)
            .addToAnnotations(Annotations.RENDERED_HASH, "of the version before")
            .endMetadata()
            .editSpec()
            .editTemplate()
            .editMetadata()
            .removeFromAnnotations(Annotations.BODY_HASH)
            .endMetadata()
            .endTemplate()
            .endSpec()
            .build();
    PodSpec spec = older.getSpec().getTemplate().getSpec();
    spec.setEnableServiceLinks(null);
    spec.getContainers().get(0).getReadinessProbe().setSuccessThreshold(null);
    spec.getInitContainers().stream()
        .filter(container -> container.getName().equals(Names.SIDECAR))
        .forEach(
            container -> {
              container.setCommand(List.of("seictl", "serve"));
              container.setArgs(List.of());
            });
    client
        .resource(older)
        .patch(
            new PatchContext.Builder()
                .withPatchType(PatchType.SERVER_SIDE_APPLY)
                .withFieldManager(SeiNodeReconciler.NAME)
                .withForce(true)
                .build());
  }

  private static Container sidecar(Pod pod) {
    return Stream.of(pod)
        .flatMap(other -> other.getSpec().getInitContainers().stream())
        .filter(container -> container.getName().equals(Names.SIDECAR))
        .findFirst()
        .orElseThrow();
  }
}
