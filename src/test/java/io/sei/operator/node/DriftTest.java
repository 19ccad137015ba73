package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.apps.StatefulSetBuilder;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.UpgradeState;
import io.sei.operator.render.Annotations;
import io.sei.operator.render.Labels;
import io.sei.operator.render.Names;
import io.sei.operator.testkit.Cases;
import io.sei.operator.testkit.MutatingWebhook;
import io.sei.operator.testkit.RequestLog.Request;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Edits by hand, by the defaults of an operator and by webhooks. */
class DriftTest extends IdentityTestCase {

  private static final List<UnaryOperator<StatefulSetBuilder>> EDITS_OF_OWNED_FIELDS =
      List.of(
          builder -> builder.editSpec().withReplicas(3).endSpec(),
          builder ->
              builder
                  .editSpec()
                  .withNewUpdateStrategy()
                  .withType("RollingUpdate")
                  .endUpdateStrategy()
                  .endSpec(),
          builder -> builder.editMetadata().removeFromLabels(Labels.CHAIN).endMetadata(),
          builder -> builder.editMetadata().withOwnerReferences().endMetadata(),
          builder ->
              builder
                  .editSpec()
                  .editTemplate()
                  .editSpec()
                  .editMatchingContainer(container -> container.getName().equals("seid"))
                  .withImage("sei:foreign")
                  .endContainer()
                  .endSpec()
                  .endTemplate()
                  .endSpec());

  private MutatingWebhook webhook;

  @Test
  void foreignEditsAreRevertedWithoutARestartAndForeignFieldsStay() {
    createRunning();
    awaitQuiet();
    final String pod = podUid();
    EDITS_OF_OWNED_FIELDS.forEach(this::assertReverted);
    eventually(() -> assertCondition(NodeConditionType.RESTART_PENDING, ConditionStatus.FALSE));
    assertServicePortReverted();
    assertNeverRestarted(pod);
    assertCondition(NodeConditionType.UP_TO_DATE, ConditionStatus.TRUE);
    operator.requests().clear();

    edit(
        statefulSet ->
            new StatefulSetBuilder(statefulSet)
                .editMetadata()
                .addToLabels("team", "nodes")
                .addToAnnotations("note", "by hand")
                .endMetadata()
                .build());
    // An edit that is reverted comes after any apply that the foreign fields could cause.
    edit(
        statefulSet ->
            new StatefulSetBuilder(statefulSet)
                .editMetadata()
                .addToLabels(Labels.CHAIN, "other")
                .endMetadata()
                .build());
    eventually(
        () ->
            assertThat(statefulSet().getMetadata().getLabels())
                .containsEntry(Labels.CHAIN, "atlantic-2"));
    assertThat(operator.requests().matching(Request::isWrite))
        .singleElement()
        .matches(IdentityTestCase::isStatefulSetApply);

    setImage(B);
    awaitUpToDate(B);
    assertThat(statefulSet().getMetadata().getLabels()).containsEntry("team", "nodes");
    assertThat(statefulSet().getMetadata().getAnnotations()).containsEntry("note", "by hand");
  }

  private void assertReverted(UnaryOperator<StatefulSetBuilder> change) {
    StatefulSet original = statefulSet();

    edit(statefulSet -> change.apply(new StatefulSetBuilder(statefulSet)).build());

    eventually(
        () -> {
          StatefulSet now = statefulSet();
          assertThat(now.getSpec()).isEqualTo(original.getSpec());
          assertThat(now.getMetadata().getLabels()).isEqualTo(original.getMetadata().getLabels());
          assertThat(now.getMetadata().getOwnerReferences())
              .isEqualTo(original.getMetadata().getOwnerReferences());
        });
    awaitQuiet();
  }

  private void assertServicePortReverted() {
    Service original = service();

    eventually(
        () ->
            client
                .services()
                .inNamespace(namespace)
                .withName(NODE)
                .edit(
                    service -> {
                      service.getSpec().getPorts().get(0).setPort(1234);
                      return service;
                    }));

    eventually(
        () ->
            assertThat(service().getSpec().getPorts())
                .containsExactlyInAnyOrderElementsOf(original.getSpec().getPorts()));
    awaitQuiet();
  }

  /** Changes an annotation of the pod template, like {@code kubectl rollout restart}. */
  @Test
  void rolloutRestartIsAnsweredWithTheCommandThatRestarts() {
    createRunning();
    awaitQuiet();
    String pod = podUid();

    statefulSets().rolling().restart();

    awaitAnswered(1);
    assertNeverRestarted(pod);
    assertCondition(NodeConditionType.UP_TO_DATE, ConditionStatus.TRUE);
    edit(
        statefulSet ->
            new StatefulSetBuilder(statefulSet)
                .editSpec()
                .editTemplate()
                .editMetadata()
                .addToAnnotations(Annotations.ROLLOUT_RESTARTED_AT, "once more")
                .endMetadata()
                .endTemplate()
                .endSpec()
                .build());
    awaitAnswered(2);

    annotate(Annotations.RESTART_REQUESTED_AT, "now");

    eventually(() -> assertThat(podUids()).hasSize(2));
    eventually(() -> assertCondition(NodeConditionType.RESTART_PENDING, ConditionStatus.FALSE));
    assertThat(events("RolloutRestartIgnored")).hasSize(2);
  }

  private void awaitAnswered(int times) {
    eventually(
        () -> {
          assertCondition(
              NodeConditionType.RESTART_PENDING,
              ConditionStatus.TRUE,
              NodeReason.ROLLOUT_RESTART_IGNORED);
          assertThat(events("RolloutRestartIgnored"))
              .hasSize(times)
              .allMatch(event -> event.getType().equals("Warning"))
              .allMatch(
                  event ->
                      event
                          .getMessage()
                          .endsWith("run: kubectl sei restart snode/node -n " + namespace));
        });
  }

  @Tag("long")
  @Test
  void secondReplicaByHandDuringInitIsTakenBackAndInitGoesOn() {
    var edited = new AtomicBoolean();
    // The Service is applied between the StatefulSet and the look at its pods.
    operator
        .requests()
        .beforeEach(
            request -> {
              if (request.path().endsWith("/services/" + NODE) && !edited.getAndSet(true)) {
                edit(
                    statefulSet ->
                        new StatefulSetBuilder(statefulSet)
                            .editSpec()
                            .withReplicas(2)
                            .endSpec()
                            .build());
              }
            });

    create(spec(A));

    awaitUpToDate(A);
    eventually(
        () -> {
          assertThat(statefulSet().getSpec().getReplicas()).isEqualTo(1);
          assertThat(read(Pod.class, NODE + "-1")).isNull();
        });
    assertThat(edited).isTrue();
    assertThat(events("PlanFailed")).isEmpty();
    assertThat(podUids()).hasSize(1);
  }

  static Stream<String> images() {
    return Cases.of(1, "SEI_SIDECAR_IMAGE", "SEI_KUBE_RBAC_PROXY_IMAGE");
  }

  @Tag("long")
  @ParameterizedTest
  @MethodSource("images")
  void changedOperatorDefaultRestartsNothingUntilARestartIsAskedFor(String variable) {
    createRunning();
    String pod = podUid();
    operator.stop();
    operator.with(variable, "registry.example/other:v9");
    operator.start();

    String container = variable.contains("SIDECAR") ? "sei-sidecar" : "kube-rbac-proxy";
    eventually(
        () -> {
          assertThat(templateImage(container)).isEqualTo("registry.example/other:v9");
          assertCondition(
              NodeConditionType.RESTART_PENDING, ConditionStatus.TRUE, NodeReason.TEMPLATE_CHANGED);
          assertThat(condition(NodeConditionType.RESTART_PENDING).message())
              .contains("image of container " + container);
          assertCondition(NodeConditionType.UP_TO_DATE, ConditionStatus.TRUE);
        });
    annotate(Annotations.EXPLAIN, "1");
    eventually(
        () ->
            assertThat(node().getStatus().explain().summary())
                .startsWith("nothing restarts: ")
                .contains("image of container " + container, Annotations.RESTART_REQUESTED_AT));
    assertNeverRestarted(pod);
    awaitQuiet();

    annotate(Annotations.RESTART_REQUESTED_AT, "2026-06-01T00:00:00Z");
    eventually(
        () -> {
          assertThat(podUid()).isNotEqualTo(pod);
          assertCondition(
              NodeConditionType.RESTART_PENDING,
              ConditionStatus.FALSE,
              NodeReason.NO_RESTART_PENDING);
        });
    awaitUpToDate(A);
    stays(() -> assertThat(podUids()).hasSize(2));
    assertThat(events("RestartPending")).hasSize(1);
  }

  private String templateImage(String container) {
    return Stream.concat(
            statefulSet().getSpec().getTemplate().getSpec().getContainers().stream(),
            statefulSet().getSpec().getTemplate().getSpec().getInitContainers().stream())
        .filter(candidate -> candidate.getName().equals(container))
        .findFirst()
        .orElseThrow()
        .getImage();
  }

  private Service service() {
    return read(Service.class, NODE);
  }

  @AfterEach
  void removeTheWebhook() {
    if (webhook != null) {
      webhook.close();
    }
  }

  /** A webhook changes pods and StatefulSets in ways that the operator knows nothing of. */
  @Test
  @Tag("long")
  void whatWasThereBeforeIsNeitherAppliedAgainNorRestarted() {
    webhook = new MutatingWebhook(client, namespace);
    createRunning();
    assertInjected(pod().getSpec());
    assertInjected(statefulSet().getSpec().getTemplate().getSpec());

    assertCostsNothing();
    setImage(B);

    awaitUpToDate(B);
    assertCostsNothing();
    assertThat(podUids()).hasSize(2);
    assertCondition(NodeConditionType.RESTART_PENDING, ConditionStatus.FALSE);
  }

  @Test
  void whatComesToARunningNodeWaitsForItsNextRestart() {
    createRunning();
    webhook = new MutatingWebhook(client, namespace);

    edit(
        statefulSet -> {
          statefulSet.getMetadata().getAnnotations().put("touched", "by hand");
          return statefulSet;
        });

    eventually(() -> assertInjected(statefulSet().getSpec().getTemplate().getSpec()));
    awaitQuiet();
    assertCostsNothing();
    assertThat(podUids()).hasSize(1);
    assertCondition(NodeConditionType.UP_TO_DATE, ConditionStatus.TRUE);
    setImage(B);
    awaitUpToDate(B);
    assertInjected(pod().getSpec());
    assertThat(podUids()).hasSize(2);
  }

  /** As a registry mirror does that pins digests, with every way in which an image may change. */
  @Tag("long")
  @Test
  void nodeRunsTheImagesThatAdmissionPutsInPlaceOfThoseAskedFor() {
    webhook = MutatingWebhook.mirroring(client, namespace, "CREATE");
    create(spec(A));
    awaitRewritten(A);
    assertThat(condition(NodeConditionType.UP_TO_DATE).message())
        .isEqualTo(
            "the pod runs what the spec asks for; admission control put image %s in place of %s"
                .formatted(MutatingWebhook.mirrored(A), A));
    assertCostsNothing();

    setImage(B);
    awaitRewritten(B);
    assertThat(podUids()).hasSize(2);

    patch("{'spec':{'upgrades':[{'name':'v3','height':100,'image':'%s'}]}}".formatted(C));
    kubelet.halt(namespace, POD, "v3", 100);
    awaitRewritten(C);
    assertThat(podUids()).hasSize(3);
    assertThat(node().getStatus().upgrades().get(0).state()).isEqualTo(UpgradeState.APPLIED);
  }

  private void awaitRewritten(String image) {
    eventually(
        () -> {
          assertThat(node().getStatus().phase()).isEqualTo(NodePhase.RUNNING);
          assertThat(node().getStatus().currentImage()).isEqualTo(image);
          assertCondition(NodeConditionType.UP_TO_DATE, ConditionStatus.TRUE);
          assertCondition(NodeConditionType.READY, ConditionStatus.TRUE);
          assertThat(runningImage()).isEqualTo(MutatingWebhook.mirrored(image));
        });
  }

  /** Another look writes only what it was asked for. */
  private void assertCostsNothing() {
    awaitQuiet();
    operator.requests().clear();
    awaitAnotherLook();
    assertThat(operator.requests().matching(Request::isWrite))
        .singleElement()
        .matches(IdentityTestCase::isStatusWrite);
  }

  private static void assertInjected(PodSpec pod) {
    assertThat(pod.getContainers())
        .extracting(Container::getName)
        .containsOnlyOnce(MutatingWebhook.CONTAINER);
  }

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
