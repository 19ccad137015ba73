package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.DeletionPropagation;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.client.dsl.RollableScalableResource;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.testkit.RequestLog.Request;
import io.sei.operator.testkit.UidRecorder;
import java.time.Duration;
import java.util.List;
import org.awaitility.core.ThrowingRunnable;

/** Base of tests about the ownership of objects. */
public abstract class IdentityTestCase extends NodeTestCase {

  public static final Duration A_WHILE = Duration.ofSeconds(2);

  public RollableScalableResource<StatefulSet> statefulSets() {
    return client.apps().statefulSets().inNamespace(namespace).withName(NODE);
  }

  public UidRecorder recordStatefulSets() {
    return UidRecorder.of(statefulSets());
  }

  public void deleteStatefulSet(DeletionPropagation propagation) {
    String uid = statefulSetUid();
    statefulSets().withPropagationPolicy(propagation).delete();
    eventually(
        () -> {
          StatefulSet now = statefulSet();
          assertThat(now == null || !now.getMetadata().getUid().equals(uid)).isTrue();
        });
  }

  public String statefulSetUid() {
    return statefulSet().getMetadata().getUid();
  }

  public String podUid() {
    return pod().getMetadata().getUid();
  }

  /** The node's StatefulSet is the live one, recorded, and nothing is wrong with it. */
  public void awaitTracked() {
    eventually(
        () -> {
          assertThat(node().getStatus().statefulSet().uid()).isEqualTo(statefulSetUid());
          assertThat(node().getStatus().statefulSet().name()).isEqualTo(NODE);
          assertThat(node().getStatus().replacing()).isNull();
          assertCondition(NodeConditionType.STATEFUL_SET_READY, ConditionStatus.TRUE);
        });
  }

  /**
   * Waits until all that the operator writes when it looks again is that it did; one that churns
   * never gets there.
   */
  public void awaitQuiet() {
    for (int look = 0; look < 20; look++) {
      int before = writes();
      awaitAnotherLook();
      if (writes() <= before + 1) {
        return;
      }
    }
    throw new AssertionError(operator.requests().matching(Request::isWrite));
  }

  private int writes() {
    return operator.requests().matching(Request::isWrite).size();
  }

  /** The pod of this uid is the only one there has been, and stays. */
  public void assertNeverRestarted(String uid) {
    stays(() -> assertThat(podUid()).isEqualTo(uid));
    assertThat(kubelet.history(namespace, POD)).hasSize(1);
  }

  /** A status write of the node by the operator. */
  public static boolean isStatusWrite(Request request) {
    return request.method().equals("PATCH")
        && request.path().endsWith("/seinodes/" + NODE + "/status");
  }

  /** An apply of the node's StatefulSet by the operator. */
  public static boolean isStatefulSetApply(Request request) {
    return request.method().equals("PATCH") && request.path().endsWith("/statefulsets/" + NODE);
  }

  /** A controller reference to a node or a fleet. */
  public static OwnerReference ownedBy(HasMetadata owner) {
    return new OwnerReferenceBuilder()
        .withApiVersion("sei.io/v1alpha1")
        .withKind(owner.getKind())
        .withName(owner.getMetadata().getName())
        .withUid(owner.getMetadata().getUid())
        .withController(true)
        .withBlockOwnerDeletion(true)
        .build();
  }

  /**
   * Waits like {@link #eventually}, for states that are observed every half minute only: foreign
   * objects by the operator, and new kinds of owners by the garbage collector.
   */
  public static void eventuallyWithoutEvent(ThrowingRunnable assertion) {
    await()
        .atMost(Duration.ofSeconds(60))
        .pollInterval(Duration.ofMillis(100))
        .ignoreExceptions()
        .untilAsserted(assertion);
  }

  public List<String> podUids() {
    return kubelet.history(namespace, POD).stream().map(record -> record.uid()).toList();
  }
}
