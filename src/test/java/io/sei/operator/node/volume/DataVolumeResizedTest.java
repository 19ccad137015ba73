package io.sei.operator.node.volume;

import static io.sei.operator.testkit.samples.ClaimSample.aClaim;
import static io.sei.operator.testkit.samples.NodeSample.NOW;
import static io.sei.operator.testkit.samples.NodeSample.aNode;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Quantity;
import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.DataVolume;
import io.sei.operator.api.v1alpha1.DataVolume.Storage;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.base.PerObjectState;
import io.sei.operator.node.OfflineNode;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.testkit.samples.ClaimSample;
import io.sei.operator.testkit.samples.NodeSample;
import io.sei.operator.testkit.samples.RecordedConditions;
import java.util.Optional;
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
    Condition condition = derive(asking(spec), claim(claim, volume).build(), NEW).orElseThrow();

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
    PersistentVolumeClaim claim = claim("4", "2").condition(type, words).build();

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
  void stageOfAGrowthDecidesTheRemedy(
      String error, String stage, String pod, String reason, String message) {
    PersistentVolumeClaim claim =
        claim("4", "2")
            .resizeStage(stage)
            .condition(error, "code = FailedPrecondition desc = in use")
            .condition("FileSystemResizePending", null)
            .build();
    NodeSample node = withVolume(new DataVolume(null, null, asking("4"), null, null));

    Condition condition =
        conditionOf(pod.equals("running") ? node : node.paused(), claim, NEW).orElseThrow();

    assertThat(condition.reason()).isEqualTo(reason);
    assertThat(condition.message()).contains(message);
  }

  @Test
  void driverThatGaveUpIsReportedWithoutAMessage() {
    PersistentVolumeClaim claim = claim("4", "2").resizeStage("ControllerResizeInfeasible").build();

    assertThat(derive(asking("4"), claim, NEW))
        .map(Condition::message)
        .hasValueSatisfying(
            message -> assertThat(message).contains("reports: ControllerResizeInfeasible"));
  }

  @Test
  void differentStorageClassIsNamed() {
    Condition condition =
        derive(new Storage("fast", null, null, null), claim("2", "2").build(), NEW).orElseThrow();

    assertThat(condition.reason()).isEqualTo("StorageClassDiffers");
    assertThat(condition.message())
        .as("the CRD refuses another class")
        .doesNotContain("set it back");
    assertThat(condition.message())
        .contains("is fast, and claim data-node was made with")
        .contains("StorageClass slow");
    assertThat(derive(new Storage("slow", null, null, null), claim("2", "2").build(), NEW))
        .hasValueSatisfying(other -> assertThat(other.isTrue()).isTrue());
  }

  @Test
  void conditionNeedsARequestedSizeAndABoundClaim() {
    PersistentVolumeClaim pending = claim("2", "2").phase("Pending").build();

    assertThat(derive(null, claim("2", "2").build(), NEW)).isEmpty();
    assertThat(derive(asking("2"), pending, NEW)).isEmpty();
    assertThat(derive(asking("2"), null, NEW)).isEmpty();
  }

  @Test
  void importedClaimIsLeftToItsOwner() {
    var imported = new DataVolume(new DataVolume.Import("brought"), null, asking("4"), null, null);

    Condition condition =
        conditionOf(withVolume(imported), claim("2", "2").build(), NEW).orElseThrow();

    assertThat(condition.reason()).isEqualTo("ClaimImported");
    assertThat(condition.message()).contains("claim brought is imported: resize that claim itself");
  }

  /**
   * The refusal also stays while the request is not sent again, and ends once the spec asks for
   * nothing more.
   */
  @Test
  void refusalStaysUntilTheSpecAsksForWhatIsThere() {
    SeiNodeStatus refused =
        RecordedConditions.with(
            NEW, NodeConditionType.DATA_VOLUME_RESIZED, false, "ResizeRefused", NOW);

    assertThat(derive(asking("4"), claim("2", "2").build(), refused))
        .map(Condition::message)
        .contains("message");
    assertThat(derive(asking("2"), claim("2", "2").build(), refused))
        .map(Condition::reason)
        .contains("Resized");
    assertThat(derive(NOTHING, claim("2", "2").build(), refused))
        .map(Condition::reason)
        .contains("Resized");
  }

  private static Storage asking(String size) {
    return new Storage(
        null, null, new Storage.Resources(new Storage.Requests(new Quantity(size + "Ti"))), null);
  }

  private static Optional<Condition> derive(
      Storage storage, PersistentVolumeClaim claim, SeiNodeStatus status) {
    return conditionOf(withVolume(new DataVolume(null, null, storage, null, null)), claim, status);
  }

  private static NodeSample withVolume(DataVolume volume) {
    return aNode("sei:a").withPod().spec(spec -> spec.withDataVolume(volume));
  }

  private static Optional<Condition> conditionOf(
      NodeSample node, PersistentVolumeClaim claim, SeiNodeStatus status) {
    NodePass pass = node.status(status).claim(claim).pass();
    new DataVolumeResized(new AutoGrowth(OfflineNode.usagePoller(), new PerObjectState<>()))
        .report(pass);
    return Conditions.find(pass.draft().conditions(), NodeConditionType.DATA_VOLUME_RESIZED);
  }

  private static ClaimSample claim(String requested, String capacity) {
    return aClaim().storageClass("slow").requests(requested + "Ti").capacity(capacity + "Ti");
  }
}
