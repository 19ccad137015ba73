package io.sei.operator.node.growth;

import static io.sei.operator.testkit.samples.NodeSample.NOW;
import static io.sei.operator.testkit.samples.NodeSample.aNode;
import static io.sei.operator.testkit.samples.PodSample.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimCondition;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimConditionBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.DataVolume;
import io.sei.operator.api.v1alpha1.DataVolume.Storage;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.node.OfflineNode;
import io.sei.operator.node.model.NodePass;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DataVolumeResizedTest {

  private static final Storage NOTHING = new Storage(null, null, null, null);
  private static final SeiNodeStatus NEW = aNode("sei:a").running().status();

  /** Sizes in Ti: of the spec, of the claim, and of the volume. */
  @ParameterizedTest
  @CsvSource({
    "2, 2, 2, True/Resized, claim data-node has 2Ti",
    "4, 2, 2, False/Resizing, claim data-node grows from 2Ti to 4Ti",
    "4, 4, 2, False/Resizing, claim data-node grows from 2Ti to 4Ti",
    "4, 4, 4, True/Resized, claim data-node has 4Ti",
    // What a volume has not become it may still be spared.
    "3, 4, 2, False/Resizing, claim data-node grows from 2Ti to 3Ti",
    "2, 4, 4, False/CannotShrink, 'spec.dataVolume.storage.resources.requests.storage is 2Ti, less"
        + " than the 4Ti of claim data-node: a volume cannot shrink; set 4Ti or more'",
    "2, 4, 2, False/CannotShrink, 'spec.dataVolume.storage.resources.requests.storage is 2Ti, less"
        + " than the 4Ti of claim data-node: a volume cannot shrink; set 4Ti or more'",
  })
  void followsSpecClaimAndVolume(
      String spec, String claim, String volume, String expected, String message) {
    Condition condition = derive(asking(spec), claim(claim, volume, it -> it), NEW).orElseThrow();

    assertThat(condition.status() + "/" + condition.reason()).isEqualTo(expected);
    assertThat(condition.message()).isEqualTo(message);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "Resizing | | False/Resizing | grows from 2Ti to 4Ti",
        "FileSystemResizePending | waiting for a node | False/FileSystemResizePending | while the"
            + " pod runs; if this stays for some minutes, restart the node with the annotation"
            + " sei.io/restart-requested-at",
        "ControllerResizeError | code = FailedPrecondition desc = in use | False/ResizeFailed |"
            + " desc = in use; if it grows a volume only while no pod has it, set spec.paused"
            + " until",
        "ControllerResizeError | no space left | False/ResizeFailed | the storage driver reports:"
            + " no space left;",
        "NodeResizeError | | False/ResizeFailed | the storage driver reports: NodeResizeError;",
      })
  void followsTheClaimsOwnConditions(String type, String words, String expected, String message) {
    PersistentVolumeClaim claim =
        claim("4", "2", it -> it.editStatus().addToConditions(isTrue(type, words)).endStatus());

    Condition condition = derive(asking("4"), claim, NEW).orElseThrow();

    assertThat(condition.status() + "/" + condition.reason()).isEqualTo(expected);
    assertThat(condition.message()).contains(message);
  }

  /** Conditions and stages as a real resizer and kubelet leave them. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "ControllerResizeError | NodeResizePending | stopped | FileSystemResizePending | has grown,"
            + " and its file system grows once a pod has it; set spec.paused to false",
        "ControllerResizeError | NodeResizePending | running | FileSystemResizePending | the"
            + " kubelet resizes its file system",
        "NodeResizeError | NodeResizeInProgress | running | FileSystemResizePending | its file"
            + " system grows only in another pod; restart the node",
        "NodeResizeError | NodeResizeInProgress | stopped | FileSystemResizePending | once a pod"
            + " has it; set spec.paused to false",
        "ControllerResizeError | ControllerResizeInProgress | running | ResizeFailed | set"
            + " spec.paused until it has grown",
        "Other | NodeResizeInfeasible | running | ResizeFailed | the storage driver reports:"
            + " NodeResizeInfeasible",
      })
  void whereAGrowthIsDecidesWhatHelps(
      String error, String stage, String pod, String reason, String message) {
    PersistentVolumeClaim claim =
        claim(
            "4",
            "2",
            it ->
                it.editStatus()
                    .withAllocatedResourceStatuses(Map.of("storage", stage))
                    .addToConditions(
                        isTrue(error, "code = FailedPrecondition desc = in use"),
                        isTrue("FileSystemResizePending", null))
                    .endStatus());
    SeiNode node = aNode("sei:a").build();
    boolean runs = pod.equals("running");
    node.setSpec(
        node.getSpec()
            .withPaused(!runs)
            .withDataVolume(new DataVolume(null, null, asking("4"), null, null)));

    Condition condition =
        conditionOf(node, claim, NEW, Optional.of(aPod(aNode("sei:a")).build()).filter(it -> runs))
            .orElseThrow();

    assertThat(condition.reason()).isEqualTo(reason);
    assertThat(condition.message()).contains(message);
  }

  @Test
  void driverThatGaveUpIsReportedWithoutWords() {
    PersistentVolumeClaim claim =
        claim(
            "4",
            "2",
            it ->
                it.editStatus()
                    .withAllocatedResourceStatuses(Map.of("storage", "ControllerResizeInfeasible"))
                    .endStatus());

    assertThat(derive(asking("4"), claim, NEW))
        .map(Condition::message)
        .hasValueSatisfying(it -> assertThat(it).contains("reports: ControllerResizeInfeasible"));
  }

  @Test
  void anotherClassIsNamed() {
    Condition condition =
        derive(new Storage("fast", null, null, null), claim("2", "2", it -> it), NEW).orElseThrow();

    assertThat(condition.reason()).isEqualTo("StorageClassDiffers");
    assertThat(condition.message())
        .contains("is fast, and claim data-node was made with")
        .contains("StorageClass slow");
    assertThat(derive(new Storage("slow", null, null, null), claim("2", "2", it -> it), NEW))
        .hasValueSatisfying(it -> assertThat(it.isTrue()).isTrue());
  }

  @Test
  void isSaidOnlyWhereThereIsSomethingToSay() {
    PersistentVolumeClaim pending =
        claim("2", "2", it -> it.editStatus().withPhase("Pending").endStatus());

    assertThat(derive(null, claim("2", "2", it -> it), NEW)).isEmpty();
    assertThat(derive(asking("2"), pending, NEW)).isEmpty();
    assertThat(derive(asking("2"), null, NEW)).isEmpty();
  }

  @Test
  void importedClaimIsLeftToItsOwner() {
    SeiNode node = aNode("sei:a").build();
    var imported = new DataVolume(new DataVolume.Import("brought"), null, asking("4"), null, null);
    node.setSpec(node.getSpec().withDataVolume(imported));

    Condition condition = conditionOf(node, claim("2", "2", it -> it), NEW).orElseThrow();

    assertThat(condition.reason()).isEqualTo("ClaimImported");
    assertThat(condition.message()).contains("claim brought is imported: resize that claim itself");
  }

  /** Also while nobody asks the API server again, and no longer once nothing is asked of it. */
  @Test
  void refusalStaysUntilTheSpecAsksForWhatIsThere() {
    SeiNodeStatus refused =
        NEW.withConditions(
            Conditions.with(
                NEW.conditions(),
                NodeConditionType.DATA_VOLUME_RESIZED,
                ConditionStatus.FALSE,
                NodeReason.RESIZE_REFUSED,
                "words",
                1L,
                NOW));

    assertThat(derive(asking("4"), claim("2", "2", it -> it), refused))
        .map(Condition::message)
        .contains("words");
    assertThat(derive(asking("2"), claim("2", "2", it -> it), refused))
        .map(Condition::reason)
        .contains("Resized");
    assertThat(derive(NOTHING, claim("2", "2", it -> it), refused))
        .map(Condition::reason)
        .contains("Resized");
  }

  private static Storage asking(String size) {
    return new Storage(
        null, null, new Storage.Resources(new Storage.Requests(new Quantity(size + "Ti"))), null);
  }

  private static Optional<Condition> derive(
      Storage storage, PersistentVolumeClaim claim, SeiNodeStatus status) {
    SeiNode node =
        aNode("sei:a")
            .spec(spec -> spec.withDataVolume(new DataVolume(null, null, storage, null, null)))
            .build();
    return conditionOf(node, claim, status);
  }

  private static Optional<Condition> conditionOf(
      SeiNode node, PersistentVolumeClaim claim, SeiNodeStatus status) {
    return conditionOf(node, claim, status, Optional.of(aPod(aNode("sei:a")).build()));
  }

  private static Optional<Condition> conditionOf(
      SeiNode node, PersistentVolumeClaim claim, SeiNodeStatus status, Optional<Pod> pod) {
    node.setStatus(status);
    var reconcile =
        new NodePass(
            aNode(node)
                .status(status)
                .pod(pod)
                .view()
                .with(it -> it.stored(status).claim(Optional.ofNullable(claim))));
    new DataVolumeResized(OfflineNode.usageWatch()).report(reconcile, Optional.empty());
    return Conditions.find(reconcile.draft().conditions(), NodeConditionType.DATA_VOLUME_RESIZED);
  }

  private static PersistentVolumeClaim claim(
      String requested, String capacity, UnaryOperator<PersistentVolumeClaimBuilder> change) {
    return change
        .apply(
            new PersistentVolumeClaimBuilder()
                .withNewMetadata()
                .withName("data-node")
                .endMetadata()
                .withNewSpec()
                .withStorageClassName("slow")
                .withNewResources()
                .addToRequests("storage", new Quantity(requested + "Ti"))
                .endResources()
                .endSpec()
                .withNewStatus()
                .withPhase("Bound")
                .addToCapacity("storage", new Quantity(capacity + "Ti"))
                .endStatus())
        .build();
  }

  private static PersistentVolumeClaimCondition isTrue(String type, String message) {
    return new PersistentVolumeClaimConditionBuilder()
        .withType(type)
        .withStatus("True")
        .withMessage(message)
        .build();
  }
}
