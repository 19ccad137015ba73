package io.sei.operator.node.objects;

import static io.sei.operator.testkit.samples.Samples.yaml;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.DeletionPropagation;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.sei.operator.api.v1alpha1.Archive;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.DataVolume.RetentionPolicy;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.node.IdentityTestCase;
import io.sei.operator.render.Annotations;
import io.sei.operator.render.Labels;
import io.sei.operator.testkit.Cases;
import io.sei.operator.testkit.RequestLog.Request;
import io.sei.operator.testkit.samples.Samples;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class DataClaimTest extends IdentityTestCase {

  private static final String CLAIM = "data-" + NODE;

  static Stream<DeletionPropagation> ways() {
    return Cases.of(1, DeletionPropagation.BACKGROUND, DeletionPropagation.FOREGROUND);
  }

  @ParameterizedTest
  @MethodSource("ways")
  void claimIsRetainedAtAnyTimeOutlivesItsNodeAndIsFoundByTheNextOfThatName(
      DeletionPropagation how) {
    SeiNode node = createRunning();
    awaitQuiet();
    awaitRetained();
    patch("{'spec':{'dataVolume':{'onDelete':'Delete'}}}");
    eventually(() -> assertOwned(node));
    awaitRetained();
    awaitQuiet();
    assertThat(podUids()).hasSize(1);
    PersistentVolumeClaim claim = claim(CLAIM);

    deleteNode(how);
    eventuallyWithoutEvent(
        () -> {
          assertThat(node()).isNull();
          assertThat(statefulSet()).isNull();
          assertThat(pod()).isNull();
        });
    stays(
        () -> {
          assertThat(claim(CLAIM).getMetadata().getUid()).isEqualTo(claim.getMetadata().getUid());
          assertThat(claim(CLAIM).getMetadata().getDeletionTimestamp()).isNull();
        });

    SeiNode next = createRunning();
    PersistentVolumeClaim found = claim(CLAIM);
    assertThat(found.getMetadata().getUid()).isEqualTo(claim.getMetadata().getUid());
    assertOwned(next);
  }

  private void awaitRetained() {
    patch("{'spec':{'dataVolume':{'onDelete':'Retain'}}}");
    eventually(() -> assertThat(claim(CLAIM).getMetadata().getOwnerReferences()).isEmpty());
    eventually(() -> assertThat(node().getMetadata().getFinalizers()).isNotEmpty());
  }

  /**
   * Decided once, when the operator creates the claim; the spec wins as long as it says anything.
   */
  @Test
  void archiveKeepsItsClaimByDefaultAndTheEventNamesItBeforeTheNodeIsGone() {
    create(spec(A).withFullNode(null).withArchive(new Archive(null)));
    awaitUpToDate(A);
    eventually(
        () ->
            assertThat(node().getStatus().dataVolume().onDelete())
                .isEqualTo(RetentionPolicy.RETAIN));
    eventually(() -> assertThat(node().getMetadata().getFinalizers()).isNotEmpty());
    PersistentVolumeClaim claim = claim(CLAIM);
    assertThat(claim.getMetadata().getOwnerReferences()).isEmpty();
    assertThat(claim.getMetadata().getAnnotations()).containsEntry(Annotations.ON_DELETE, "Retain");

    patch("{'spec':{'dataVolume':{'onDelete':'Delete'}}}");
    eventually(() -> assertOwned(node()));
    eventually(
        () ->
            assertThat(node().getStatus().dataVolume().onDelete())
                .isEqualTo(RetentionPolicy.DELETE));

    patch("{'spec':{'dataVolume':null}}");
    eventually(() -> assertThat(claim(CLAIM).getMetadata().getOwnerReferences()).isEmpty());
    eventually(
        () ->
            assertThat(node().getStatus().dataVolume().onDelete())
                .isEqualTo(RetentionPolicy.RETAIN));
    awaitQuiet();
    deleteNode(DeletionPropagation.FOREGROUND);

    eventuallyWithoutEvent(() -> assertThat(node()).isNull());
    stays(
        () -> {
          assertThat(claim(CLAIM).getMetadata().getUid()).isEqualTo(claim.getMetadata().getUid());
          assertThat(claim(CLAIM).getMetadata().getDeletionTimestamp()).isNull();
        });
    eventually(() -> assertThat(events("DataRetained")).hasSize(1));
    assertThat(events("DataRetained").get(0).getType()).isEqualTo("Warning");
    assertThat(events("DataRetained").get(0).getMessage()).startsWith("the claim " + CLAIM + " ");
    assertThat(events("DeletingData")).isEmpty();
  }

  @Tag("long")
  @Test
  void claimIsKeptThoughItsNodeIsDeletedRightAfterThePolicyWasSet() {
    createRunning();
    operator.stop();
    patch("{'spec':{'dataVolume':{'onDelete':'Retain'}}}");
    patch("{'metadata':{'finalizers':['sei.io/seinode-finalizer']}}");
    deleteNode(DeletionPropagation.BACKGROUND);
    String uid = claim(CLAIM).getMetadata().getUid();
    operator.start();

    eventuallyWithoutEvent(() -> assertThat(node()).isNull());
    stays(() -> assertThat(claim(CLAIM).getMetadata().getUid()).isEqualTo(uid));
  }

  @ParameterizedTest(name = "of another controller: {0}")
  @ValueSource(booleans = {false, true})
  void claimOfAnotherFailsThePlanNamingTheImportField(boolean owned) {
    PersistentVolumeClaim foreign = createClaim(CLAIM, "10Gi", owned);
    create(spec(A));

    eventually(
        () -> {
          assertThat(node().getStatus().phase()).isEqualTo(NodePhase.FAILED);
          assertThat(node().getStatus().plan().failedTaskDetail().error())
              .contains(CLAIM)
              .contains("spec.dataVolume.import");
          assertCondition(
              NodeConditionType.UP_TO_DATE, ConditionStatus.FALSE, NodeReason.PLAN_FAILED);
        });
    assertUntouched(foreign);
    assertThat(statefulSet()).isNull();
  }

  @Test
  void importedClaimIsValidatedMarkedAndNeverDeleted() {
    PersistentVolumeClaim imported = createClaim("brought", "10Gi", false);
    create(importing("brought"));

    awaitUpToDate(A);
    assertCondition(
        NodeConditionType.IMPORT_PVC_READY, ConditionStatus.TRUE, NodeReason.PVC_VALIDATED);
    assertThat(claim(CLAIM)).isNull();
    assertThat(
            pod().getSpec().getVolumes().stream()
                .filter(volume -> volume.getName().equals("data"))
                .findFirst()
                .orElseThrow()
                .getPersistentVolumeClaim()
                .getClaimName())
        .isEqualTo("brought");
    assertThat(claim("brought").getMetadata().getAnnotations())
        .containsEntry(Annotations.CLAIM_OWNER_UID, node().getMetadata().getUid());
    operator.requests().clear();
    assertUntouched(imported);

    deleteNode(DeletionPropagation.FOREGROUND);
    eventuallyWithoutEvent(() -> assertThat(pod()).isNull());
    eventuallyWithoutEvent(() -> assertThat(node()).isNull());
    assertUntouched(imported);
  }

  @Test
  @Tag("long")
  void importedClaimMayAppearLater() {
    create(importing("brought"));
    eventually(
        () -> {
          assertCondition(
              NodeConditionType.IMPORT_PVC_READY, ConditionStatus.FALSE, NodeReason.PVC_NOT_READY);
          assertThat(condition(NodeConditionType.IMPORT_PVC_READY).message()).contains("brought");
        });

    createClaim("brought", "10Gi", false);

    awaitUpToDate(A);
    assertCondition(NodeConditionType.IMPORT_PVC_READY, ConditionStatus.TRUE);
  }

  @Test
  void importedClaimThatIsTooSmallIsRefused() {
    PersistentVolumeClaim imported = createClaim("brought", "1Gi", false);
    create(importing("brought"));

    eventually(
        () -> {
          assertThat(node().getStatus().phase()).isEqualTo(NodePhase.FAILED);
          assertCondition(
              NodeConditionType.IMPORT_PVC_READY, ConditionStatus.FALSE, NodeReason.PVC_INVALID);
          assertThat(condition(NodeConditionType.IMPORT_PVC_READY).message())
              .contains("1Gi")
              .contains("10Gi");
        });
    assertUntouched(imported);
  }

  /** Asserts it by the operator's requests: Kubernetes' own controllers write a claim's status. */
  private void assertUntouched(PersistentVolumeClaim expected) {
    String name = expected.getMetadata().getName();
    stays(
        () -> {
          assertThat(claim(name).getMetadata().getUid()).isEqualTo(expected.getMetadata().getUid());
          assertThat(claim(name).getSpec()).isEqualTo(expected.getSpec());
          assertThat(operator.requests().matching(Request::isWrite))
              .noneMatch(request -> request.path().endsWith("/persistentvolumeclaims/" + name));
        });
  }

  private void assertOwned(SeiNode node) {
    assertThat(claim(CLAIM).getMetadata().getOwnerReferences())
        .extracting(OwnerReference::getUid)
        .containsExactly(node.getMetadata().getUid());
  }

  private void deleteNode(DeletionPropagation how) {
    client
        .resources(SeiNode.class)
        .inNamespace(namespace)
        .withName(NODE)
        .withPropagationPolicy(how)
        .delete();
  }

  private PersistentVolumeClaim claim(String name) {
    return read(PersistentVolumeClaim.class, name);
  }

  /** Creates a bound claim, which no controller but the operator could write to. */
  private PersistentVolumeClaim createClaim(String name, String size, boolean owned) {
    var claim =
        new PersistentVolumeClaimBuilder()
            .withNewMetadata()
            .withName(name)
            .withNamespace(namespace)
            .endMetadata()
            .withNewSpec()
            .withAccessModes("ReadWriteOnce")
            .withNewResources()
            .addToRequests("storage", new Quantity(size))
            .endResources()
            .endSpec();
    if (owned) {
      claim
          .editMetadata()
          .addToLabels(Labels.NODE, NODE)
          .withOwnerReferences(another())
          .endMetadata();
    }
    client.resource(claim.build()).create();
    eventually(() -> assertThat(claim(name).getStatus().getPhase()).isEqualTo("Bound"));
    return claim(name);
  }

  private OwnerReference another() {
    String uid =
        client
            .resource(
                new ConfigMapBuilder()
                    .withNewMetadata()
                    .withName("another")
                    .withNamespace(namespace)
                    .endMetadata()
                    .build())
            .create()
            .getMetadata()
            .getUid();
    return yaml(
        OwnerReference.class,
        """
        {apiVersion: v1, kind: ConfigMap, name: another, uid: %s, controller: true}
        """,
        uid);
  }

  private static SeiNodeSpec importing(String claim) {
    return spec(A).withDataVolume(Samples.imported(claim));
  }
}
