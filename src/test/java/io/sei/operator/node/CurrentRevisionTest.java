package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.apps.StatefulSetStatus;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.testkit.PodFault;
import java.lang.module.ModuleDescriptor.Version;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Shows why {@code status.currentRevision} of an OnDelete StatefulSet is of no use: from Kubernetes
 * 1.37 on it follows a pod that becomes Ready, before it stands still, and in both it may name a
 * revision that no pod runs. The shipped alerts rest on that, and no decision of the operator does.
 */
class CurrentRevisionTest extends RolloutTestCase {

  private static final Version ADVANCES = Version.parse("1.37");

  @Test
  void afterARollItAdvancesFrom137On() {
    createRunning();
    String first = revisions().getCurrentRevision();

    setImage(B);
    awaitUpToDate(B);

    String expected = advances() ? revisions().getUpdateRevision() : first;
    assertThat(revisions().getUpdateRevision()).isNotEqualTo(first);
    eventually(() -> assertThat(revisions().getCurrentRevision()).isEqualTo(expected));
  }

  @Tag("long")
  @Test
  void ofANodeThatHaltsAgainItStandsStill() {
    createRunning();
    String first = revisions().getCurrentRevision();
    kubelet.injectForImage(B, new PodFault.HaltedAtUpgrade("v6.2", 190000000));

    setImage(B);
    awaitCondition(NodeConditionType.READY, ConditionStatus.FALSE, "HaltedAtUpgrade");
    eventually(() -> assertCondition(NodeConditionType.UP_TO_DATE, ConditionStatus.TRUE));

    awaitControllerCaughtUp();
    assertThat(revisions().getCurrentRevision()).isEqualTo(first);
  }

  @Tag("long")
  @Test
  void afterGoingBackFromAnImageThatWasNeverReadyItNamesWhatNoPodRuns() {
    createRunning();
    String first = revisions().getCurrentRevision();
    kubelet.injectForImage(B, PodFault.NEVER_READY);
    setImage(B);
    eventually(() -> assertThat(runningImage()).isEqualTo(B));
    // Nobody replaces the pod, so that this moment lasts.
    operator.stop();

    edit(
        statefulSet -> {
          statefulSet.getSpec().getTemplate().getSpec().getContainers().get(0).setImage(A);
          return statefulSet;
        });
    awaitControllerCaughtUp();

    eventually(
        () ->
            assertThat(revisions().getUpdateRevision())
                .isNotEqualTo(pod().getMetadata().getLabels().get("controller-revision-hash")));
    assertThat(revisions().getCurrentRevision()).isEqualTo(first);
    assertThat(runningImage()).isEqualTo(B);

    setImage(A);
    operator.start();
    awaitUpToDate(A);
    assertThat(images()).containsExactly(A, B, A);
  }

  private StatefulSetStatus revisions() {
    return statefulSet().getStatus();
  }

  private boolean advances() {
    return Version.parse(controlPlane.serverVersion().substring(1)).compareTo(ADVANCES) >= 0;
  }
}
