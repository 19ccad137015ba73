package io.sei.operator.node.objects;

import static io.sei.operator.api.v1alpha1.NodeConditionType.DATA_VOLUME_MODIFIED;
import static io.sei.operator.testkit.samples.Samples.yaml;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.DeletionPropagation;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.storage.VolumeAttributesClass;
import io.fabric8.kubernetes.api.model.storage.VolumeAttributesClassBuilder;
import io.sei.operator.api.v1alpha1.Archive;
import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.DataVolume;
import io.sei.operator.api.v1alpha1.DataVolume.RetentionPolicy;
import io.sei.operator.api.v1alpha1.DataVolume.Storage;
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
import java.lang.Runtime.Version;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The claim of a node: imported, retained, contested by others, and its attributes. */
class DataClaimTest extends IdentityTestCase {

  private static final String CLAIM = "data-" + NODE;

  private static final String BROUGHT = "brought";
  private static final List<String> RIVALS = List.of("one", "other");

  private static final Version KEEPS_THE_FIELD = Version.parse("1.34");

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

  /** Two nodes that write to one volume destroy it, and no API server keeps them apart. */
  @Tag("long")
  @Test
  void ofTwoNodesThatImportAClaimAtOnceOneHasItAndTheOtherSaysWhose() {
    operator.stop();
    createClaim(BROUGHT);
    RIVALS.forEach(name -> create(name, importing(BROUGHT)));

    operator.start();

    eventually(
        () ->
            assertThat(RIVALS.stream().filter(this::isRunning).count())
                .as("nodes that run")
                .isEqualTo(1));
    String winner = RIVALS.stream().filter(this::isRunning).findFirst().orElseThrow();
    String loser = RIVALS.stream().filter(name -> !name.equals(winner)).findFirst().orElseThrow();
    eventually(
        () -> {
          assertThat(imported(loser)).map(Condition::reason).contains("PVCInUse");
          assertThat(imported(loser).orElseThrow().message())
              .contains(BROUGHT, "SeiNode " + winner, "spec.dataVolume.import.pvcName");
        });
    stays(() -> assertThat(podsOfTheClaim()).containsExactly(winner + "-0"));

    client.resources(SeiNode.class).inNamespace(namespace).withName(winner).delete();

    eventually(() -> assertThat(isRunning(loser)).isTrue());
    assertThat(podsOfTheClaim()).containsExactly(loser + "-0");
  }

  @Tag("long")
  @Test
  void retainedDataThatAnotherNodeHasImportedIsNotTakenBackByANodeOfTheOldName() {
    create(spec(A).withDataVolume(Samples.retained()));
    awaitUpToDate(A);
    client.resources(SeiNode.class).inNamespace(namespace).withName(NODE).delete();
    eventuallyWithoutEvent(() -> assertThat(pod()).isNull());
    eventuallyWithoutEvent(() -> assertThat(node()).isNull());
    create("other", importing("data-" + NODE));
    eventually(() -> assertThat(isRunning("other")).isTrue());

    create(spec(A));

    eventually(
        () ->
            assertThat(node().getStatus().plan().currentTask().orElseThrow().message())
                .contains("data-" + NODE, "SeiNode other"));
    stays(() -> assertThat(podsOf("data-" + NODE)).containsExactly("other-0"));
  }

  private boolean isRunning(String name) {
    return get(name).getStatus() != null && get(name).getStatus().phase() == NodePhase.RUNNING;
  }

  private Optional<Condition> imported(String name) {
    return Optional.ofNullable(get(name).getStatus())
        .flatMap(
            status -> Conditions.find(status.conditions(), NodeConditionType.IMPORT_PVC_READY));
  }

  private List<String> podsOfTheClaim() {
    return podsOf(BROUGHT);
  }

  private List<String> podsOf(String claim) {
    return readAll(Pod.class).stream()
        .filter(pod -> mounts(pod, claim))
        .map(pod -> pod.getMetadata().getName())
        .toList();
  }

  private static boolean mounts(Pod pod, String claim) {
    return pod.getSpec().getVolumes().stream()
        .anyMatch(
            volume ->
                volume.getPersistentVolumeClaim() != null
                    && claim.equals(volume.getPersistentVolumeClaim().getClaimName()));
  }

  private SeiNode get(String name) {
    return read(SeiNode.class, name);
  }

  private void create(String name, SeiNodeSpec spec) {
    client.resource(Samples.node(namespace, name, spec)).create();
  }

  /** The VolumeAttributesClass of a node's claim follows the spec, where the API server has any. */
  @Test
  void classIsThatOfTheSpecWhileTheNodeRuns() {
    var storage = new Storage(null, "gold", null, null);
    create(spec(A).withDataVolume(new DataVolume(null, null, storage, null, null)));
    awaitUpToDate(A);
    String pod = podUid();

    if (keepsTheField()) {
      changeTheClass();
    } else {
      assertDropped();
    }

    assertCondition(NodeConditionType.STALLED, ConditionStatus.FALSE);
    assertNeverRestarted(pod);
  }

  private void changeTheClass() {
    awaitModified(ConditionStatus.TRUE, NodeReason.MODIFIED, "VolumeAttributesClass gold");
    assertThat(events("DataVolumeModified")).as("it was made with its class").isEmpty();
    int patches = patchesOfClaim();

    // Classes belong to no namespace.
    String silver = namespace + "-silver";
    name(silver);
    awaitModified(ConditionStatus.FALSE, NodeReason.MODIFY_PENDING, silver, "create it");
    assertThat(node().getStatus().reason()).isEqualTo(NodeReason.MODIFY_PENDING.toString());
    VolumeAttributesClass made = client.resource(attributes(silver)).create();
    name("gold");
    awaitModified(ConditionStatus.TRUE, NodeReason.MODIFIED, "VolumeAttributesClass gold");
    name(silver);

    awaitModified(ConditionStatus.TRUE, NodeReason.MODIFIED, "VolumeAttributesClass " + silver);
    patch("{'spec':{'dataVolume':{'storage':{'volumeAttributesClassName':null}}}}");
    awaitAnotherLook();
    assertThat(read(PersistentVolumeClaim.class, CLAIM).getSpec().getVolumeAttributesClassName())
        .isEqualTo(silver);
    assertThat(patchesOfClaim()).as("each asked once").isEqualTo(patches + 3);
    client.resource(made).delete();
  }

  private void name(String attributesClass) {
    patch(
        "{'spec':{'dataVolume':{'storage':{'volumeAttributesClassName':'%s'}}}}"
            .formatted(attributesClass));
  }

  private void assertDropped() {
    awaitModified(
        ConditionStatus.FALSE, NodeReason.MODIFY_REFUSED, "the API server drops that field");
    int patches = patchesOfClaim();
    awaitAnotherLook();
    assertThat(patchesOfClaim()).as("asked once").isEqualTo(patches);
  }

  private boolean keepsTheField() {
    return Version.parse(controlPlane.serverVersion().substring(1)).compareTo(KEEPS_THE_FIELD) >= 0;
  }

  private static VolumeAttributesClass attributes(String name) {
    return new VolumeAttributesClassBuilder()
        .withNewMetadata()
        .withName(name)
        .endMetadata()
        .withDriverName("sei.io/simulated")
        .withParameters(Map.of("iops", "10000"))
        .build();
  }

  private int patchesOfClaim() {
    return operator
        .requests()
        .matching(
            request ->
                request.method().equals("PATCH")
                    && request.path().endsWith("/persistentvolumeclaims/" + CLAIM))
        .size();
  }

  private void awaitModified(ConditionStatus status, NodeReason reason, String... words) {
    eventually(
        () -> {
          assertCondition(DATA_VOLUME_MODIFIED, status, reason);
          assertThat(condition(DATA_VOLUME_MODIFIED).message()).contains(words);
        });
  }
}
