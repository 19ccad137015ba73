package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.sei.operator.api.v1alpha1.FailedTaskDetail;
import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.plan.SidecarTaskTypes;
import io.sei.operator.testkit.ApiFault;
import io.sei.operator.testkit.Bulk;
import io.sei.operator.testkit.Cases;
import io.sei.operator.testkit.PodFault;
import io.sei.operator.testkit.RequestLog.Request;
import io.sei.operator.testkit.StoredStatuses;
import io.sei.operator.testkit.samples.Samples;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Goes on from what is stored: statuses and plans of before, a failed init, huge annotations, and
 * objects that are made again in a moment.
 */
class StoredStatusTest extends RolloutTestCase {

  private static final String TARGET =
      "'target':{'generation':1,'specHash':'v1:0','image':'sei:x','sidecarImage':'s','statefulSetUid':'%s'}";

  private static final String FILLER = "example.com/filler";

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

  static Stream<String> foreignPlans() {
    return Cases.of(
        1,
        // an unknown task
        "{'id':'1','kind':'Update','phase':'Active','tasks':[{'type':'no-such','id':'1','status':'Pending'}]}",
        // as the Go operator stores them: nothing captured
        "{'id':'1','phase':'Active','tasks':[{'type':'replace-pod','id':'1','status':'Pending'}],'targetPhase':'Running'}",
        // a target that no spec asked for
        "{'id':'1','kind':'Update','phase':'Active',"
            + TARGET
            + ",'tasks':[{'type':'replace-pod','id':'1','status':'Pending'}]}",
        // nothing to do, and nothing captured
        "{'id':'1','kind':'Init','phase':'Active','tasks':[]}",
        "{'id':'1','kind':'Init','phase':'Failed','tasks':[],'failedPhase':'Failed'}");
  }

  /** Continues plans that another build, or a user, has written to the status. */
  @ParameterizedTest
  @MethodSource("foreignPlans")
  void foreignPlanIsReplacedAndNoPodIsTouched(String plan) {
    createRunning();
    String pod = podUid();

    storePlan(plan);
    operator.restart();

    eventually(() -> assertThat(plan()).isNull());
    awaitUpToDate(A);
    stays(() -> assertThat(podUid()).isEqualTo(pod));
    assertThat(podDeletes()).isZero();
    assertThat(node().getStatus().phase()).isEqualTo(NodePhase.RUNNING);
  }

  private void storePlan(String plan) {
    patchStatus(node(), "{'status':{'plan':" + plan + "}}");
  }

  static Stream<String> changes() {
    return Cases.of(
        1,
        "{'metadata':{'annotations':{'sei.io/retry':'again'}}}",
        "{'spec':{'overrides':{'mempool.size':'10'}}}",
        "{'spec':{'podLabels':{'team':'x'}}}");
  }

  @Tag("long")
  @ParameterizedTest
  @MethodSource("changes")
  void failedInitPlanIsTriedAgainAfter(String change) {
    sidecarFaults().reject(MARK_READY, "no such task");
    create(spec(A));
    awaitFailed();
    FailedTaskDetail detail = plan().failedTaskDetail();
    assertThat(detail.type()).isEqualTo(MARK_READY);
    assertThat(detail.error()).contains("no such task");
    assertThat(detail.retryCount()).isZero();
    sidecarFaults().clear();
    stays(() -> assertThat(phase()).isEqualTo(NodePhase.FAILED));

    patch(change);

    awaitUpToDate(A);
    eventually(() -> assertThat(occurrences("PlanFailed")).isEqualTo(1));
  }

  @Tag("long")
  @Test
  void retryThatFailsAgainWaitsForAnotherOne() {
    sidecarFaults().reject(MARK_READY, "no such task");
    create(spec(A));
    awaitFailed();
    String first = plan().id();

    annotate("sei.io/retry", "1");
    eventually(
        () -> {
          assertThat(plan().id()).isNotEqualTo(first);
          assertThat(phase()).isEqualTo(NodePhase.FAILED);
        });
    String second = plan().id();
    sidecarFaults().clear();
    operator.restart();
    stays(() -> assertThat(plan().id()).isEqualTo(second));

    annotate("sei.io/retry", "2");
    awaitUpToDate(A);
    assertThat(images()).containsExactly(A);
  }

  private void awaitFailed() {
    eventually(() -> assertThat(phase()).isEqualTo(NodePhase.FAILED));
  }

  private NodePhase phase() {
    return node().getStatus().phase();
  }

  /** Annotations as large as an API server takes them. */
  @Tag("long")
  @Test
  void annotationsAtTheirLimitBlockNoWrite() {
    var node = Samples.node(namespace, NODE, spec(A));
    node.getMetadata()
        .setAnnotations(Map.of(FILLER, Bulk.text(Bulk.ALL_ANNOTATIONS - FILLER.length())));
    client.resource(node).create();
    awaitUpToDate(A);

    setImage(B);

    awaitUpToDate(B);
    assertThat(images()).containsExactly(A, B);
    assertThat(events("StatusTooLarge")).isEmpty();
  }

  /** A node is deleted, and perhaps created again, while the operator still works on it. */
  @Test
  void newNodeIsNotTakenForTheOneThatWasDeleted() {
    duringAReconcile(
        letItEnd -> {
          String earlier = node().getMetadata().getUid();
          client.resource(node()).delete();
          eventually(() -> assertThat(node()).isNull());
          create(spec(B));
          awaitSeen();

          letItEnd.run();

          awaitUpToDate(B);
          assertThat(node().getMetadata().getUid()).isNotEqualTo(earlier);
          assertThat(events(NODE, "DeletingData")).isEmpty();
        });
  }

  /** Its pod goes as well, whose event comes after that of its deletion. */
  @Tag("long")
  @Test
  void nodeThatIsGoneIsForgotten() {
    duringAReconcile(
        letItEnd -> {
          eventually(() -> assertThat(operator.scrape()).contains("sei_chain_height{"));
          client.resource(node()).delete();
          client.resource(pod()).delete();
          eventually(() -> assertThat(pod()).isNull());
          awaitSeen();

          letItEnd.run();

          eventually(() -> assertThat(operator.scrape()).doesNotContain("sei_chain_height{"));
          eventually(() -> assertThat(events(NODE, "DeletingData")).hasSize(1));
        });
  }

  @Tag("long")
  @Test
  void nodeThatComesBackOnceTheDeletionWasLookedAtIsReconciled() {
    var isBack = new CountDownLatch(1);
    try {
      operatorBehindADoor().start();
      createRunning();
      Predicate<Request> isLook =
          request -> request.method().equals("GET") && request.path().endsWith("/seinodes/node");
      door.inject(isLook, ApiFault.notFoundAfter(isBack));
      client.resource(node()).delete();
      eventually(() -> assertThat(door.received()).anyMatch(isLook));
      create(spec(B));
      // One watch reports both, in this order.
      var next = node();
      next.setMetadata(new ObjectMetaBuilder().withName("next").withNamespace(namespace).build());
      client.resource(next).create();
      eventually(() -> assertThat(operator.scrape()).contains("name=\"next\""));

      isBack.countDown();

      awaitUpToDate(B);
    } finally {
      isBack.countDown();
    }
  }

  /** Runs a test while the node's reconcile waits for the answer to its status write. */
  private void duringAReconcile(Consumer<Runnable> test) {
    var answered = new CountDownLatch(1);
    try {
      operatorBehindADoor().start();
      createRunning();
      Predicate<Request> isStatus =
          request -> request.isWrite() && request.path().endsWith("/seinodes/node/status");
      long before = door.received().stream().filter(isStatus).count();
      door.inject(isStatus, ApiFault.hangUntil(answered));
      annotate("sei.io/explain", "1");
      eventually(
          () -> assertThat(door.received()).filteredOn(isStatus).hasSizeGreaterThan((int) before));
      test.accept(answered::countDown);
    } finally {
      answered.countDown();
    }
  }

  /** The watch tells of both: metrics come from the same cache, without a reconcile. */
  private void awaitSeen() {
    eventually(
        () ->
            assertThat(operator.scrape())
                .doesNotContain("sei_node_phase{name=\"" + NODE + "\",namespace=\"" + namespace));
  }
}
