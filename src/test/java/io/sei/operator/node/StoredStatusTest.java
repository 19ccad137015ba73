package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.plan.SidecarTaskTypes;
import io.sei.operator.testkit.PodFault;
import io.sei.operator.testkit.StoredStatuses;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A plan that an earlier version began is carried out to its end, and nothing is done twice. */
class StoredStatusTest extends RolloutTestCase {

  /** State of the earlier version at its end. */
  private enum Middle {
    INIT(
        PlanKind.INIT,
        test -> {
          test.sidecarFaults().hold(SidecarTaskTypes.CONFIG_APPLY);
          test.create(spec(A));
          test.awaitStep(SidecarTaskTypes.CONFIG_APPLY);
        },
        test -> test.sidecarFaults().release(SidecarTaskTypes.CONFIG_APPLY),
        A),
    UPDATE(
        PlanKind.UPDATE,
        test -> {
          test.createRunning();
          test.kubelet.injectForImage(B, PodFault.IMAGE_PULL);
          test.setImage(B);
          eventually(() -> assertThat(test.images()).containsExactly(A, B));
          test.awaitStep("observe-image");
        },
        test -> test.kubelet.clearImage(B),
        A,
        B),
    /** Its sidecar is too old to restart seid in the pod, so the pod is replaced. */
    CONFIG(
        PlanKind.CONFIG,
        test -> {
          test.createRunning();
          test.sidecarFaults().hold(SidecarTaskTypes.CONFIG_APPLY);
          test.patch("{'spec':{'overrides':{'mempool.size':'10'}}}");
          test.awaitStep(SidecarTaskTypes.CONFIG_APPLY);
        },
        test -> test.sidecarFaults().release(SidecarTaskTypes.CONFIG_APPLY),
        A,
        A),
    MARK_READY_AGAIN(
        PlanKind.MARK_READY,
        test -> {
          test.createRunning();
          test.sidecarFaults().hold(MARK_READY);
          test.sidecar.restart(test.namespace, NODE);
          test.awaitStep(MARK_READY);
        },
        test -> test.sidecarFaults().release(MARK_READY),
        A);

    private final PlanKind kind;
    private final Consumer<StoredStatusTest> begin;
    private final Consumer<StoredStatusTest> release;
    private final List<String> images;

    Middle(
        PlanKind kind,
        Consumer<StoredStatusTest> begin,
        Consumer<StoredStatusTest> release,
        String... images) {
      this.kind = kind;
      this.begin = begin;
      this.release = release;
      this.images = List.of(images);
    }

    private String file() {
      return "node-" + kind.toString().toLowerCase();
    }
  }

  static Stream<Arguments> versionsAndPlaces() {
    return StoredStatuses.versions().stream()
        .flatMap(
            version -> Stream.of(Middle.values()).map(middle -> Arguments.of(version, middle)));
  }

  @Tag("long")
  @ParameterizedTest(name = "{1} of {0}")
  @MethodSource("versionsAndPlaces")
  void planOfAnEarlierVersionIsCarriedOutAndNoPodIsReplacedTwice(String version, Middle middle) {
    middle.begin.accept(this);
    operator.stop();
    new StoredStatuses(client, namespace).exchange(version, middle.file());
    TaskPlan stored = plan();
    assertThat(stored.kind()).isEqualTo(middle.kind);
    assertThat(stored.isActive()).isTrue();

    try (var versions = new NodeVersions(client, namespace)) {
      operator.start();
      middle.release.accept(this);

      awaitUpToDate(middle.images.get(middle.images.size() - 1));
      assertThat(
              versions.seen(SeiNodeStatus::plan).stream()
                  .filter(plan -> plan.kind() == middle.kind)
                  .map(TaskPlan::id)
                  .distinct())
          .as("it is continued, not made anew")
          .containsExactly(stored.id());
    }
    assertThat(images()).isEqualTo(middle.images);
  }
}
