package io.sei.operator.node.rollout;

import static io.sei.operator.testkit.samples.NodeSample.aNode;
import static io.sei.operator.testkit.samples.PlanSample.aPlan;
import static io.sei.operator.testkit.samples.PodSample.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.PlannedTask;
import io.sei.operator.api.v1alpha1.Reason;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.api.v1alpha1.TaskReason;
import io.sei.operator.api.v1alpha1.Upgrade;
import io.sei.operator.api.v1alpha1.UpgradeStatus;
import io.sei.operator.base.PerObjectState;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.Rank;
import io.sei.operator.node.feature.TaskTypes;
import io.sei.operator.node.objects.ImagePuller;
import io.sei.operator.node.rollout.PodUpdateChoice.Change;
import io.sei.operator.plan.PlanEngine;
import io.sei.operator.plan.TaskOutcome;
import io.sei.operator.plan.TaskType;
import io.sei.operator.plan.Traits;
import io.sei.operator.render.Names;
import io.sei.operator.testkit.PullCluster;
import io.sei.operator.testkit.samples.NodeSample;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Decides when a pod may be given its images in place. */
class UpdatePullsTest {

  private static final Change SEID = new Change(Names.SEID, "sei:a", "sei:b", true);
  private static final Change SIDECAR = new Change(Names.SIDECAR, "sidecar:a", "sidecar:b", true);
  private static final String FAILED = "image sei:b cannot be pulled on Kubernetes node m1: x";

  private final PullCluster cluster = new PullCluster();
  private final NodeSample node =
      aNode("sei:a").metadata(metadata -> metadata.withUid("node-1")).running();
  private final Pod pod = aPod(node).namespace("default").on("m1").ready().build();
  private UpdatePulls pulls = pulls();
  private TaskPlan plan = aPlan(PlanKind.UPDATE, "sei:b", TaskTypes.REPLACE_POD).build();
  private Instant now = NodeSample.NOW;
  private boolean isThere;
  private List<UpgradeStatus> upgrades;
  private boolean isLost;

  @BeforeEach
  void push() {
    cluster.put(pod);
    cluster.push("sei:b", "sha256:b");
    cluster.push("sidecar:b", "sha256:s");
  }

  @ParameterizedTest(name = "serves {0}, image there {1}, machine lost {2}, tries {3}: {4}")
  @CsvSource({
    "true,  false, false, 0, ImagePulling",
    "false, false, false, 0, done",
    "true,  true,  false, 0, done",
    "true,  false, true,  0, done",
    "true,  false, false, 1, ImagePull",
    "false, false, false, 1, ImagePull",
    "true,  true,  false, 1, done",
    "false, false, true,  1, done",
  })
  void imageIsPulledFirstWhereThePodHasSomethingToLose(
      boolean serves, boolean there, boolean lost, int tries, String expected) {
    isThere = there;
    isLost = lost;
    plan = failedBefore(tries);
    Pod own = serves ? pod : aPod(node).namespace("default").on("m1").build();

    TaskOutcome outcome = pulls.first(pass(own), own, List.of(SEID));

    assertThat(outcome instanceof TaskOutcome.Wait wait ? wait.reason().toString() : "done")
        .isEqualTo(expected);
    assertThat(cluster.jobs()).hasSize(expected.equals("done") ? 0 : 1);
  }

  @Test
  void imageThatIsToBePulledAtEachStartIsPulled() {
    isThere = true;

    TaskOutcome outcome =
        pulls.first(pass(pod), pod, List.of(new Change(Names.SEID, "sei:a", "sei:latest", true)));

    assertThat(outcome).isInstanceOf(TaskOutcome.Wait.class);
  }

  @Test
  void imageThatThePodHadLatelyOnThisKubernetesNodeIsNotPulled() {
    Pod earlier =
        aPod(aNode("sei:b").running())
            .namespace("default")
            .on("m1")
            .status(Names.SEID, status -> status.imageId("sei@sha256:b").running())
            .ready()
            .build();
    pulls.first(pass(earlier), earlier, List.of(new Change(Names.SEID, "sei:b", "sei:c", true)));

    assertThat(first(SEID).isDone()).isTrue();
    Pod elsewhere = aPod(node).namespace("default").on("m2").ready().build();
    assertThat(pulls.first(pass(elsewhere), elsewhere, List.of(SEID)).isDone()).isFalse();
    now = now.plus(Duration.ofDays(2));
    assertThat(first(SEID).isDone()).isFalse();
  }

  @ParameterizedTest(name = "pulled {0} ago for an upgrade: {1}")
  @CsvSource({"PT0S, true", "PT23H, true", "PT24H, false", "PT-1S, false"})
  void imageThatWasPulledForAnUpgradeIsThereForADay(Duration ago, boolean there) {
    upgrades =
        List.of(
            UpgradeStatus.scheduled(new Upgrade("v2", 100L, "sei:b", null))
                .pulled("sei@sha256:b", "m1", now.minus(ago)));

    assertThat(first(SEID).isDone()).isEqualTo(there);
  }

  @Test
  void allImagesAreOfOneJob() {
    assertThat(first(SEID, SIDECAR)).isInstanceOf(TaskOutcome.Wait.class);
    cluster.runKubelet();
    now = now.plusSeconds(2);

    assertThat(first(SEID, SIDECAR).isDone()).isTrue();

    assertThat(cluster.names()).hasSize(1);
  }

  @Test
  void pullThatCannotBeTriedDelaysNothing() {
    cluster.denyJobs();

    assertThat(first(SEID).isDone()).isTrue();
  }

  @Test
  void operatorThatTakesOverFollowsTheSameJob() {
    first(SEID);
    pulls = pulls();

    assertThat(first(SEID)).isInstanceOf(TaskOutcome.Wait.class);
    cluster.runKubelet();
    now = now.plusSeconds(2);

    assertThat(first(SEID).isDone()).isTrue();
    assertThat(cluster.names()).hasSize(1);
  }

  @Test
  void registryThatIsDownForAnHourIsAskedEveryTwoMinutes() {
    cluster.registryAnswers(false);
    Instant end = now.plus(Duration.ofHours(1));

    while (now.isBefore(end)) {
      step();
    }

    assertThat(cluster.names()).as("each try is a Job of its own").hasSizeBetween(29, 31);
    assertThat(cluster.jobs()).hasSizeLessThan(2);
    PlannedTask task = plan.tasks().getFirst();
    assertThat(task.reason()).isEqualTo("RegistryUnreachable");
    assertThat(task.error())
        .isEqualTo(
            "image sei:b cannot be pulled on Kubernetes node m1: i/o timeout; check the registry,"
                + " and the DNS and network of Kubernetes node m1");

    cluster.registryAnswers(true);
    while (plan.isActive()) {
      step();
    }
    assertThat(plan.tasks().getFirst().error()).isNull();
  }

  /** A fleet goes back to its last template for the image, and never for the network. */
  @ParameterizedTest(name = "registry answers {0}, Job runs into its deadline {1}: {2}")
  @CsvSource({
    "true,  false, IMAGE_PULL",
    "false, false, REGISTRY_UNREACHABLE",
    "true,  true,  REGISTRY_UNREACHABLE",
  })
  void onlyAnAnswerOfTheRegistrySpeaksAgainstTheImage(
      boolean answers, boolean expires, StallReason expected) {
    cluster.registryAnswers(answers);
    Change missing = new Change(Names.SEID, "sei:a", "sei:missing", true);
    first(missing);
    cluster.runKubelet();
    if (expires) {
      cluster.expireJobs();
    }
    now = now.plusSeconds(2);

    TaskOutcome outcome = first(missing);

    assertThat(outcome)
        .isInstanceOfSatisfying(
            TaskOutcome.Repeat.class, failed -> assertThat(failed.reason()).isEqualTo(expected));
    plan = failedBefore(1, expected);
    NodePass next = pass(pod);
    pulls.report(next);
    assertThat(next.offered(Rank.Stalled.FOUND))
        .hasValueSatisfying(stalled -> assertThat(stalled.reason()).isEqualTo(expected));
    assertThat(first(missing))
        .isInstanceOfSatisfying(
            TaskOutcome.Wait.class, wait -> assertThat(wait.reason()).isEqualTo(expected));
  }

  /** A task may have waited for something else since its pull failed. */
  @Test
  void failedPullWithoutItsCauseIsNotHeldAgainstTheImage() {
    plan = failedBefore(1, TaskReason.POD_CHANGED);
    NodePass pass = pass(pod);

    pulls.report(pass);

    assertThat(pass.offered(Rank.Stalled.FOUND))
        .hasValueSatisfying(
            stalled -> assertThat(stalled.reason()).isEqualTo(StallReason.REGISTRY_UNREACHABLE));
  }

  @Test
  void failureIsReportedFromTheTaskUntilThePodHasItsImages() {
    plan = failedBefore(1);
    NodePass failed = pass(pod);
    pulls.report(failed);
    plan = plan.withTasks(List.of(plan.tasks().getFirst().withError(null)));
    NodePass pulled = pass(pod);
    pulls.report(pulled);

    assertThat(failed.offered(Rank.Stalled.FOUND))
        .hasValueSatisfying(
            stalled ->
                assertThat(stalled.message())
                    .contains(FAILED, "serves with the image that it has"));
    assertThat(pulled.offered(Rank.Stalled.FOUND)).isEmpty();
  }

  /** Runs the plan as the operator does, and moves the clock to the next step. */
  private void step() {
    NodePass pass = pass(pod);
    var engine =
        new PlanEngine<NodePass>(
            List.of(
                TaskType.of(
                    TaskTypes.REPLACE_POD,
                    Traits.OF_OPERATOR,
                    each -> pulls.first(each, pod, List.of(SEID)))),
            (thrown, each) -> {
              throw thrown;
            },
            Clock.fixed(now, ZoneOffset.UTC));
    PlanEngine.Step step = engine.step(plan, pass);
    plan = step.plan();
    cluster.runKubelet();
    Duration wait = step.recheck().orElse(Duration.ofSeconds(1));
    now = now.plus(wait.compareTo(Duration.ofSeconds(2)) > 0 && isPulling() ? TWO : wait);
  }

  private static final Duration TWO = Duration.ofSeconds(2);

  private boolean isPulling() {
    return !cluster.jobs().isEmpty();
  }

  private TaskPlan failedBefore(int tries) {
    return failedBefore(tries, StallReason.IMAGE_PULL);
  }

  private TaskPlan failedBefore(int tries, Reason reason) {
    PlannedTask task = plan.tasks().getFirst();
    return tries == 0
        ? plan
        : plan.withTasks(
            List.of(
                task.with(with -> with.retryCount(tries).error(FAILED).reason(reason.toString()))));
  }

  private TaskOutcome first(Change... changes) {
    return pulls.first(pass(pod), pod, List.of(changes));
  }

  private NodePass pass(Pod own) {
    return node.plan(plan)
        .status(status -> status.withUpgrades(upgrades))
        .withPod(own)
        .now(now)
        .pass();
  }

  private UpdatePulls pulls() {
    return new UpdatePulls(
        new ImagePuller(cluster.api(), new PerObjectState<>(), () -> now),
        namespace -> isThere ? Stream.of(neighbour()) : Stream.empty(),
        (pass, anyPod) -> isLost,
        new PerObjectState<ResourceID>().newMap());
  }

  private static Pod neighbour() {
    return aPod("other-0")
        .on("m1")
        .container(Names.SEID, "sei:b")
        .status(Names.SEID, status -> status.imageId("sei@sha256:b").running())
        .build();
  }
}
