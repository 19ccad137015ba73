package io.sei.operator.node;

import static io.sei.operator.testkit.samples.PodSample.aPod;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.apps.StatefulSetStatus;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.render.Labels;
import io.sei.operator.testkit.Cases;
import io.sei.operator.testkit.PodFault;
import io.sei.operator.testkit.RequestLog;
import io.sei.operator.testkit.RequestLog.Request;
import io.sei.operator.testkit.controlplane.ControlPlane;
import io.sei.operator.testkit.samples.Samples;
import java.lang.module.ModuleDescriptor.Version;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A changed spec reaches the pod of a node: once, at any time, back and forth, and with few
 * requests; at rest there are none.
 */
class RolloutTest extends RolloutTestCase {

  private static final int RANDOM_ROLLS = 12;
  private static final List<String> KNOWN = List.of(A, B, C, "sei:d");
  private static final int LONGEST_DELAY_MILLIS = 700;

  /** More than one rollout asks for. */
  private static final int MOST_REQUESTS = 40;

  private static final Version ADVANCES = Version.parse("1.37");

  private static final int BUDGET = 8;
  private static final int STATUS_WRITES = 3;

  /**
   * The edit, the revision, perhaps the new pod, its images, and seid Ready. Changes that come
   * while a reconcile runs make one more together, so a busy machine, where they come further
   * apart, needs more of them: 15 rollouts took 4, 5 or, once, 6, and eight requests each.
   */
  private static final int RECONCILES = 6;

  private static final int ROLLOUTS = 5;

  private static final Duration IDLE = Duration.ofSeconds(100);

  /** The Go operator leaves it for an hour. */
  @Tag("long")
  @Test
  void podThatABootstrapHasLeftIsNotInTheWay() {
    createRunning();
    var left =
        client
            .resource(
                aPod(NODE + "-bootstrap-x")
                    .namespace(namespace)
                    .container("other", "other")
                    .edit(
                        builder ->
                            builder
                                .editMetadata()
                                .withLabels(Labels.ofBootstrap(NODE))
                                .endMetadata())
                    .edit(builder -> builder.editSpec().withRestartPolicy("Never").endSpec())
                    .build())
            .create();
    eventually(
        () ->
            assertThat(client.resource(left).get().getStatus().getPhase()).isEqualTo("Succeeded"));

    setImage(B);

    awaitUpToDate(B);
    client.resource(left).delete();
  }

  /** Two instances manage one namespace by mistake. */
  @Test
  void twoOperatorsAtOnceReplaceThePodOnce() {
    try (var another = anotherOperator(controlPlane.config(ControlPlane.OPERATOR))) {
      another.start();
      createRunning();

      setImage(B);

      awaitUpToDate(B);
      // Not how often the sidecar is marked ready: the one that heard late of it may repeat that.
      stays(() -> assertThat(images()).containsExactly(A, B));
      assertThat(another.requests().matching(RequestLog.Request::isWrite)).isNotEmpty();
    }
  }

  static Stream<String> podSettings() {
    return Cases.of(
        1,
        "{'spec':{'resources':{'requests':{'cpu':'3'}}}}",
        "{'spec':{'podLabels':{'team':'x'}}}",
        "{'spec':{'terminationGracePeriodSeconds':60}}",
        "{'metadata':{'annotations':{'sei.io/restart-requested-at':'now'}}}");
  }

  @Tag("long")
  @ParameterizedTest
  @MethodSource("podSettings")
  void podSettingRollsThePodOnce(String change) {
    createRunning();

    patch(change);

    eventually(() -> assertThat(images()).hasSize(2));
    awaitUpToDate(A);
    stays(() -> assertThat(images()).containsExactly(A, A));
    assertThat(podDeletes()).isEqualTo(1);
    assertThat(occurrences("PlanComplete")).isEqualTo(2);
  }

  @Test
  void firstNodeRunsAndAnImageEditReplacesItsPodOnce() {
    SeiNode node = createRunning();

    StatefulSet statefulSet = statefulSet();
    assertThat(statefulSet.getSpec().getUpdateStrategy().getType()).isEqualTo("OnDelete");
    assertThat(statefulSet.getSpec().getReplicas()).isEqualTo(1);
    OwnerReference owner = statefulSet.getMetadata().getOwnerReferences().get(0);
    assertThat(owner.getUid()).isEqualTo(node.getMetadata().getUid());
    assertThat(owner.getController()).isTrue();
    assertThat(node.getStatus().statefulSet().name()).isEqualTo(NODE);
    assertThat(node.getStatus().statefulSet().uid()).isEqualTo(statefulSet.getMetadata().getUid());
    assertThat(client.raw("/apis/apps/v1/namespaces/" + namespace + "/statefulsets/" + NODE))
        .contains("\"manager\":\"seinode-controller\",\"operation\":\"Apply\"");
    assertThat(client.services().inNamespace(namespace).withName(NODE).get()).isNotNull();
    assertThat(
            client.persistentVolumeClaims().inNamespace(namespace).withName("data-" + NODE).get())
        .isNotNull();
    assertCondition(NodeConditionType.STATEFUL_SET_READY, ConditionStatus.TRUE);
    assertCondition(NodeConditionType.STALLED, ConditionStatus.FALSE);
    assertThat(node.getStatus().planHistory()).hasSize(1);

    setImage(B);

    awaitUpToDate(B);
    assertThat(images()).containsExactly(A, B);
    assertThat(podDeletes()).isEqualTo(1);
    assertCondition(NodeConditionType.NODE_UPDATE_IN_PROGRESS, ConditionStatus.FALSE);
    assertThat(node().getStatus().planHistory()).hasSize(2);
  }

  /** Going back to an image that ran before re-uses its revision of the StatefulSet. */
  @Test
  void badImageIsNeverRecordedAndGoingBackRecovers() {
    createRunning();
    kubelet.injectForImage(B, PodFault.IMAGE_PULL);
    try (var versions = new NodeVersions(client, namespace)) {
      setImage(B);
      awaitStalled(StallReason.IMAGE_PULL);
      assertThat(condition(NodeConditionType.STALLED).message()).contains(B);
      assertThat(node().getStatus().currentImage()).isEqualTo(A);

      setImage(A);

      awaitUpToDate(A);
      assertCondition(NodeConditionType.STALLED, ConditionStatus.FALSE);
      assertThat(versions.seen(SeiNodeStatus::currentImage)).containsExactly(A);
    }
    assertThat(images()).containsExactly(A, B, A);
    eventually(() -> assertThat(occurrences("Recovered")).isEqualTo(1));
  }

  @Tag("long")
  @Test
  void goingBackBeforeTheOldPodIsGoneEndsOnTheOldImage() {
    createRunning();
    kubelet.inject(namespace, POD, PodFault.HANGING_TERMINATION);
    setImage(B);
    eventually(() -> assertThat(podDeletes()).isEqualTo(1));

    setImage(A);
    eventually(() -> assertThat(occurrences("PlanSuperseded")).isEqualTo(1));
    // Until the controller has heard of A, the next pod may be one of B, and is replaced in turn.
    eventually(
        () -> assertThat(image(statefulSet().getSpec().getTemplate().getSpec())).isEqualTo(A));
    awaitControllerCaughtUp();
    kubelet.clearAll();

    awaitUpToDate(A);
    assertThat(images()).containsExactly(A, A);
  }

  /** A reader of the status would take the other pod for the requested one. */
  @Tag("long")
  @Test
  void aRecordOfAnEarlierPodDoesNotOutliveThePod() {
    createRunning();
    String record = node().getStatus().podSpecHash();
    operator.requests().refuse(request -> isStatusWrite(request) && images().contains(B));
    setImage(B);
    // Ready it is only after the operator has seen it and has had it marked ready.
    eventually(
        () -> {
          assertThat(runningImage()).isEqualTo(B);
          assertThat(PodFacts.isReady(pod())).isTrue();
        });
    assertThat(node().getStatus().podSpecHash()).isEqualTo(record);
    try (var versions = new NodeVersions(client, namespace)) {
      setImage(A);
      long generation = node().getMetadata().getGeneration();
      operator.requests().refuse(request -> false);
      awaitUpToDate(A);

      assertThat(
              versions.seen(
                  status ->
                      status.observedGeneration() == generation
                          ? Objects.toString(status.podSpecHash(), "none")
                          : "before"))
          .containsExactly("before", "none", record);
    }
    assertThat(images()).containsExactly(A, B, A);
  }

  private static boolean isStatusWrite(RequestLog.Request request) {
    return request.method().equals("PATCH")
        && request.path().endsWith("/seinodes/" + NODE + "/status");
  }

  /** Whenever an image is edited, the last one is what runs, in a pod that was made once. */
  @Tag("long")
  @Test
  void editsAtRandomMomentsConverge() throws InterruptedException {
    long seed = System.nanoTime();
    var random = new Random(seed);
    createRunning();
    ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    try {
      for (int roll = 0; roll < RANDOM_ROLLS; roll++) {
        int edits = 2 + random.nextInt(3);
        var images = new ArrayList<String>();
        random.ints(edits - 1, 0, KNOWN.size()).forEach(i -> images.add(KNOWN.get(i)));
        // An image that never ran before can be counted; one that did uses its old revision.
        images.add(roll % 2 == 0 ? "sei:r" + roll : KNOWN.get(random.nextInt(KNOWN.size())));
        var done = new CountDownLatch(edits);
        long delay = 0;
        for (String image : images) {
          timer.schedule(
              () -> {
                setImage(image);
                done.countDown();
              },
              delay,
              TimeUnit.MILLISECONDS);
          delay += random.nextInt(LONGEST_DELAY_MILLIS);
        }
        assertThat(done.await(30, TimeUnit.SECONDS)).isTrue();
        String last = images.get(edits - 1);
        String what = "seed " + seed + " roll " + roll + " " + images;
        assertConverged(last, what);
        if (roll % 2 == 0) {
          assertThat(images()).as(what).containsOnlyOnce(last);
        }
      }
    } finally {
      timer.shutdownNow();
    }
  }

  /** The k-th request, for every k: right after the one before, and right before this one. */
  @Test
  @Tag("long")
  void editBeforeAnyRequestOfARolloutConverges() {
    createRunning();
    for (int k = 0; k < MOST_REQUESTS; k++) {
      // Every other time the second edit goes back to what runs.
      String before = node().getSpec().image();
      String last = k % 2 == 0 ? "sei:z" + k : before;
      int podsBefore = images().size();
      int target = k;
      var asked = new AtomicInteger();
      operator
          .requests()
          .beforeEach(
              request -> {
                if (!request.isAside() && !request.isWatch() && asked.getAndIncrement() == target) {
                  setImage(last);
                }
              });
      String passing = "sei:y" + k;
      setImage(passing);
      eventually(() -> assertThat(asked.get() > target || isAtRest(passing)).isTrue());
      operator.requests().beforeEach(request -> {});
      if (asked.get() <= target) {
        return;
      }
      assertConverged(last, "edit before request " + k);
      List<String> since = images().subList(podsBefore, images().size());
      assertThat(since).filteredOn(last::equals).as("before request %s", k).hasSizeLessThan(2);
    }
    throw new AssertionError("a rollout asked for more than " + MOST_REQUESTS + " requests");
  }

  private boolean isAtRest(String image) {
    return image.equals(node().getStatus().currentImage()) && plan() == null;
  }

  private void assertConverged(String image, String what) {
    try {
      awaitUpToDate(image);
      assertThat(node().getSpec().image()).isEqualTo(image);
      assertThat(plan()).isNull();
    } catch (AssertionError | RuntimeException e) {
      throw new AssertionError(what + ": " + images() + " " + node().getStatus(), e);
    }
  }

  /**
   * Shows why {@code status.currentRevision} of an OnDelete StatefulSet is of no use: from
   * Kubernetes 1.37 on it follows a pod that becomes Ready, before it stands still, and in both it
   * may name a revision that no pod runs. The shipped alerts rest on that, and no decision of the
   * operator does.
   */
  @Tag("long")
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
    // No controller replaces the pod, so that this moment lasts.
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

  /**
   * Counts the requests of one rollout to the API server, events included, watches and leases
   * aside, and the reconciles of the node.
   */
  @Test
  void rolloutOfAnImageIsCheap() {
    createRunning();
    eventually(() -> assertThat(occurrences("PlanComplete")).isEqualTo(1));
    var costs = new ArrayList<Cost>();
    for (int i = 0; i < ROLLOUTS && costs.stream().noneMatch(Cost::isWithinBudget); i++) {
      costs.add(roll("sei:r" + i, i + 2));
    }

    assertThat(costs).anyMatch(Cost::isWithinBudget);
  }

  /**
   * @param delays number of status writes that a step in progress could add meanwhile
   * @param delays how often a step that goes on could be written by itself meanwhile
   */
  private record Cost(List<RequestLog.Request> requests, double reconciles, long delays) {

    boolean isWithinBudget() {
      long statusWrites = requests.stream().filter(Cost::isOfStatus).count();
      // A pod that is Ready only after the plan's end takes one more.
      long more = delays + (isOfStatus(requests.get(requests.size() - 1)) ? 1 : 0);
      return requests.size() <= BUDGET + more
          && statusWrites <= STATUS_WRITES + more
          && reconciles <= RECONCILES + more;
    }

    private static boolean isOfStatus(RequestLog.Request request) {
      return request.path().endsWith("/status");
    }
  }

  private Cost roll(String image, int plans) {
    operator.requests().clear();
    double before = reconciles();
    assertThat(before).isPositive();
    long begin = System.nanoTime();

    setImage(image);

    awaitUpToDate(image);
    eventually(() -> assertThat(occurrences("PlanComplete")).isEqualTo(plans));
    assertThat(requests("PATCH", "/statefulsets/")).hasSize(1);
    assertThat(requests("PATCH", "/services/")).isEmpty();
    assertThat(podDeletes()).isEqualTo(1);
    assertThat(operator.requests().matching(RequestLog.Request::isAside)).hasSize(1);
    return new Cost(
        operator.requests().all(),
        reconciles() - before,
        TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begin) / 3);
  }

  private double reconciles() {
    return operator
        .scrape()
        .lines()
        .filter(line -> line.startsWith("operator_sdk_reconciliations_started_total{"))
        .filter(line -> line.contains("kind=\"SeiNode\""))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' '))))
        .sum();
  }

  /** Nodes to which nothing happens cost nothing. */
  @Test
  void anotherLookAtIdleNodesWritesWhatWasAskedForAndReadsNothing() {
    createReady(3);
    awaitAnotherLook();
    operator.requests().clear();

    awaitAnotherLook();

    assertThat(operator.requests().all())
        .hasSize(3)
        .allMatch(Request::isWrite)
        .allMatch(request -> request.path().endsWith("/status"));
  }

  @Test
  @Tag("long")
  void idleNodesCostNothing() {
    createReady(20);
    awaitAnotherLook();
    // The last events are still on their way.
    eventually(() -> assertThat(readAll(SeiNode.class)).allMatch(this::hasToldOfItsPlan));
    operator.requests().clear();

    await()
        .atMost(IDLE.plusSeconds(30))
        .during(IDLE)
        .untilAsserted(() -> assertThat(operator.requests().all()).isEmpty());
  }

  private void createReady(int nodes) {
    for (int i = 0; i < nodes; i++) {
      var node = Samples.node(namespace, "idle-" + i, spec(A));
      client.resource(node).create();
    }
    eventually(
        Duration.ofMinutes(2),
        () ->
            assertThat(readAll(SeiNode.class))
                .hasSize(nodes)
                .allMatch(node -> is(node, NodeConditionType.READY))
                .allMatch(node -> is(node, NodeConditionType.UP_TO_DATE))
                .allMatch(node -> is(node, NodeConditionType.SIDECAR_READY)));
  }

  private boolean hasToldOfItsPlan(SeiNode node) {
    return !events(node.getMetadata().getName(), "PlanComplete").isEmpty();
  }

  private static boolean is(SeiNode node, NodeConditionType type) {
    return node.getStatus() != null && Conditions.isTrue(node.getStatus().conditions(), type);
  }

  /** Events tell each thing once. */
  @Test
  void nodeTellsItsLifeItsRolloutAndNoRestartOfTheOperatorOnce() {
    createRunning();
    eventually(
        () ->
            assertThat(told())
                .isEqualTo(
                    Map.of("PhaseTransition", 2, "PlanComplete", 1, "StatefulSetTracked", 1)));
    Map<String, Integer> before = told();

    operator.restart();
    stays(() -> assertThat(told()).isEqualTo(before));
    setImage(B);
    awaitUpToDate(B);

    eventually(
        () ->
            assertThat(told())
                .isEqualTo(
                    Map.of("PhaseTransition", 2, "PlanComplete", 2, "StatefulSetTracked", 1)));
  }

  private Map<String, Integer> told() {
    var counts = new TreeMap<String, Integer>();
    client
        .v1()
        .events()
        .inNamespace(namespace)
        .withField("involvedObject.name", NODE)
        .list()
        .getItems()
        .stream()
        .filter(event -> event.getInvolvedObject().getKind().equals("SeiNode"))
        .forEach((Event event) -> counts.merge(event.getReason(), event.getCount(), Integer::sum));
    return counts;
  }
}
