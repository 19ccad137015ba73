package io.sei.operator;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import io.fabric8.kubernetes.api.model.apps.StatefulSetStatus;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.sei.operator.node.resources.ImagePuller;
import io.sei.operator.render.PullJobRenderer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.Timer;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The packages are rooms, and this is the lock on the doors between them. */
class ArchitectureTest {

  private static final String ROOT = "io.sei.operator";

  private static final JavaClasses MAIN = Imported.MAIN;

  private static final JavaClasses ALL = Imported.ALL;

  /** Classes that compute and do nothing else, outside the packages that are pure as a whole. */
  private static final Set<String> PURE =
      Set.of(
          """
          base.Sha256 base.Text base.Times chain.BlockRate chain.ChainAnswer
          chain.CurrentPlan chain.KnownChain chain.RpcAnswers chain.SyncState
          node.AwaitedInput node.bootstrap.BootstrapState node.bootstrap.BootstrapTasks
          node.bootstrap.Replay node.config.ConfigApply node.config.ConfigPatch
          node.config.ModeDefaults node.resources.IdentityAction
          node.signing.KeyConditions node.upgrade.PlannedUpgrade node.signing.KeyTasks
          node.signing.NodeIdentity node.status.NodeConditions node.NodePlanner
          node.NodePlans node.hold.AwaitExit node.hold.Hold node.model.EffectiveNode
          node.model.NodeView node.model.SigningState node.model.VolumeFacts
          node.model.VolumeRisk node.volume.DataVolumeAtRisk node.model.PutOff
          node.rollout.PodPatch node.rollout.PodUpdateChoice
          fleet.disruption.Availability fleet.disruption.Disruptions fleet.volume.DataVolumesAtRisk plan.Planner plan.PlanDecision node.status.Ready
          node.status.RestartExplanation node.SidecarAdmission node.status.Stalling
          node.status.UpToDate node.growth.Usage usage.UsageAnswer node.sync.HeightRecord node.sync.CatchUpState node.sync.Sync
          node.upgrade.PullSchedule node.upgrade.UpgradesReady
          node.upgrade.StartingHeight node.upgrade.UpgradeEvidence
          node.resources.StatefulSetIdentity node.resources.SnapshotChoice
          fleet.model.Assignment fleet.status.FleetConditions fleet.model.FleetView
          fleet.takeover.InheritedNetworking fleet.status.FleetStatus
          fleet.status.FleetEvents fleet.configuration.ConfigurationOrder
          fleet.upgrades.EarlyUpgrades fleet.rollout.RolloutPlan
          fleet.rollout.RolloutRecord fleet.model.Limits fleet.model.Retention
          fleet.model.Revisions fleet.model.RolloutDecision fleet.model.RolloutVerdict
          fleet.status.RolloutExplanation fleet.rollout.RolloutForecast
          fleet.rollout.RolloutPlanner fleet.rollout.RolloutPolicy
          fleet.snapshots.SnapshotPlanner fleet.snapshots.SnapshotRetention
          fleet.snapshots.SnapshotRun fleet.snapshots.SnapshotEvents
          fleet.snapshots.SnapshotsHealthy kube.SchemaGaps kube.SubsetDiff
          node.resources.TemplateDifferences reconcile.ConditionsDraft reconcile.ConditionProposal
          takeover.Adoption takeover.Baseline task.ImageUpdateRequest task.NodeWork
          task.ReadyRequest task.SeidRestartRequest task.SeidGuard task.Target task.TaskOutcome
          task.TaskRequest task.TaskRules task.TaskStep
          """
              .trim()
              .split("\\s+"));

  @ParameterizedTest(name = "{0} knows {1}")
  @CsvSource(
      delimiter = '|',
      value = {
        "base           |",
        "api            |",
        "config         |",
        "http           | base",
        "render         | base api config",
        "diagnosis      | base api render",
        "progression    | base api render plan",
        "plan           | base api",
        "sidecar        | base config http",
        "chain          | base config http",
        "usage          | base config http",
        "kube           | base",
        "observability  | base api render chain",
        "takeover       | base api config render diagnosis kube observability",
        "reconcile      | base api diagnosis plan kube observability",
        "task           | base api render diagnosis plan sidecar chain kube",
        "node           | base api config render diagnosis progression plan sidecar chain usage"
            + " kube observability reconcile takeover",
        "fleet          | base api config render diagnosis plan kube observability"
            + " reconcile takeover",
      })
  void arrowsPointOneWay(String room, String known) {
    assertKnowsOnly(room, known, ROOT + "..");
  }

  /** Packages that others of their controller know; each other one is a feature or a task. */
  private static final Set<String> CORE =
      Set.of(
          "node.model",
          "node.status",
          "node.resources",
          "node.bootstrap",
          "fleet.model",
          "fleet.status",
          "fleet.disruption",
          "fleet.objects",
          "fleet.rollout");

  /** Packages that a package of a controller may import beside that controller's model. */
  private static final Map<String, String> KNOWN_BESIDE_MODEL =
      Map.ofEntries(
          Map.entry("node.status", "node.bootstrap"),
          Map.entry("node.takeover", "node.status"),
          Map.entry("node.maintenance", "node.resources"),
          Map.entry("node.reset", "node.resources"),
          Map.entry("node.rollout", "node.resources"),
          Map.entry("node.signing", "node.resources"),
          Map.entry("node.upgrade", "node.resources"),
          Map.entry("fleet.rollout", "fleet.disruption"),
          Map.entry("fleet.snapshots", "fleet.disruption"),
          Map.entry("fleet.upgrades", "fleet.disruption"),
          Map.entry("fleet.configuration", "fleet.disruption"),
          Map.entry("fleet.takeover", "fleet.objects fleet.status"),
          Map.entry("fleet.status", "fleet.rollout"));

  /** Packages of both controllers, as they are on the class path: none can be forgotten. */
  static Stream<String> packagesOfControllers() {
    return MAIN.stream()
        .map(JavaClass::getPackageName)
        .filter(name -> name.matches("io\\.sei\\.operator\\.(node|fleet)\\..+"))
        .map(name -> name.substring(ROOT.length() + 1))
        .distinct()
        .sorted();
  }

  static Stream<String> tasksAndFeatures() {
    return Stream.concat(
        Stream.of("task"), packagesOfControllers().filter(name -> !CORE.contains(name)));
  }

  @ParameterizedTest
  @MethodSource("packagesOfControllers")
  void packagesOfAControllerKnowItsModelAndFewOthers(String name) {
    String controller = name.substring(0, name.indexOf('.'));
    String known = controller + ".model " + KNOWN_BESIDE_MODEL.getOrDefault(name, "");
    assertKnowsOnly(name, known.trim(), room(controller));
  }

  /** All know {@code base}, which knows none of them. */
  private static void assertKnowsOnly(String room, String known, String within) {
    var allowed = new ArrayList<String>();
    allowed.add(room(room));
    allowed.add(room("base"));
    if (known != null) {
      List.of(known.split(" ")).forEach(it -> allowed.add(room(it)));
    }
    noClasses()
        .that()
        .resideInAPackage(room(room))
        .should()
        .dependOnClassesThat(
            resideInAPackage(within).and(not(resideInAnyPackage(allowed.toArray(String[]::new)))))
        .check(MAIN);
  }

  @Test
  void everyPackageIsARoom() {
    String rooms =
        "base api config render diagnosis progression plan http sidecar chain usage kube"
            + " observability takeover reconcile node fleet task";
    classes()
        .should()
        .resideInAnyPackage(
            Stream.concat(Stream.of(ROOT), Stream.of(rooms.split(" ")).map(ArchitectureTest::room))
                .toArray(String[]::new))
        .check(MAIN);
  }

  @Test
  void packagesHaveNoCycles() {
    slices().matching(ROOT + ".(**)").should().beFreeOfCycles().check(MAIN);
  }

  @Test
  void filesHaveNoCycles() {
    slices().assignedFrom(files()).should().beFreeOfCycles().check(MAIN);
  }

  /** Without generated builders: a record refers to its own, and that to the record. */
  private static SliceAssignment files() {
    return new SliceAssignment() {
      @Override
      public SliceIdentifier getIdentifierOf(JavaClass type) {
        boolean ours = type.getPackageName().startsWith(ROOT) && !file(type).endsWith("Builder");
        return ours ? SliceIdentifier.of(file(type)) : SliceIdentifier.ignore();
      }

      @Override
      public String getDescription() {
        return "files";
      }
    };
  }

  private static String file(JavaClass type) {
    return type.getEnclosingClass().map(ArchitectureTest::file).orElse(type.getName());
  }

  @ParameterizedTest
  @MethodSource("tasksAndFeatures")
  void tasksAndFeaturesAreKnownToTheCompositionOnly(String room) {
    noClasses()
        .that()
        .resideOutsideOfPackage(ROOT)
        .and()
        .resideOutsideOfPackage(room(room))
        .should()
        .dependOnClassesThat()
        .resideInAPackage(room(room))
        .check(MAIN);
  }

  /** Or a class that was renamed would be pure by name only. */
  @Test
  void whatIsDeclaredPureExists() {
    for (String name : PURE) {
      assertThat(MAIN.contain(ROOT + "." + name)).as(name).isTrue();
    }
  }

  /** Or a package that was renamed would be excepted by name only. */
  @Test
  void packagesWithExceptionsExist() {
    assertThat(packagesOfControllers()).containsAll(CORE).containsAll(KNOWN_BESIDE_MODEL.keySet());
  }

  @Test
  void plansKnowNoKubernetesKind() {
    noClasses()
        .that()
        .resideInAPackage(room("plan"))
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("io.fabric8..", "io.javaoperatorsdk..")
        .check(MAIN);
  }

  @Test
  void pureClassesNeitherAskNorWaitNorLookAtAClock() {
    noClasses()
        .that(arePure())
        .should()
        .dependOnClassesThat(
            resideInAnyPackage(
                    "io.fabric8.kubernetes.client..",
                    "io.javaoperatorsdk..",
                    "io.micrometer..",
                    "java.net.http..",
                    "java.util.concurrent..",
                    "org.slf4j..")
                .and(not(belongToAnyOf(CustomResource.class, KubernetesSerialization.class))))
        .orShould()
        .dependOnClassesThat()
        .belongToAnyOf(Thread.class, Random.class)
        .orShould()
        .accessTargetWhere(readsTheTime())
        .check(MAIN);
  }

  /** Validation, the PodDisruptionBudget and the explanation state the number; Limits has it. */
  @Test
  void onlyDisruptionsDecideByTheBudgetOfAFleet() {
    noClasses()
        .that()
        .resideOutsideOfPackages(room("fleet.disruption"), room("api"))
        .and()
        .doNotHaveSimpleName("Limits")
        .and()
        .doNotHaveSimpleName("DisruptionBudgetRenderer")
        .and()
        .doNotHaveSimpleName("RolloutExplanation")
        .should()
        .accessTargetWhere(
            DescribedPredicate.describe(
                "reads maxUnavailable", access -> access.getName().equals("maxUnavailable")))
        .check(MAIN);
  }

  @Test
  void onlyTheCompositionChoosesTheClock() {
    noClasses()
        .that()
        .resideOutsideOfPackage(ROOT)
        .and()
        // Its public constructor is the one for production.
        .doNotHaveSimpleName("EventRecorder")
        .should()
        .accessTargetWhere(readsTheTime())
        .check(MAIN);
  }

  @Test
  void nobodyReadsTheCurrentRevisionOfAStatefulSet() {
    // Under OnDelete it does not advance, and after A, B, A it equals the update revision while the
    // pod still runs B.
    noClasses().should().callMethod(StatefulSetStatus.class, "getCurrentRevision").check(MAIN);
  }

  @Test
  void onlyTheImagePullerCreatesPullJobs() {
    noClasses()
        .that()
        .doNotBelongToAnyOf(ImagePuller.class, PullJobRenderer.class)
        .should()
        .dependOnClassesThat()
        .belongToAnyOf(PullJobRenderer.class)
        .check(MAIN);
  }

  @Test
  void nobodySleeps() {
    noClasses().should().callMethod(Thread.class, "sleep", long.class).check(ALL);
    noClasses().should().callMethod(Thread.class, "sleep", long.class, int.class).check(ALL);
    noClasses().should().callMethod(TimeUnit.class, "sleep", long.class).check(ALL);
  }

  /** Prometheus is asked once for all nodes, and reads of a reconcile are repeated in place. */
  @Test
  void nodesChainsAndSidecarsArePolledByThePoller() {
    noClasses()
        .that()
        .resideInAnyPackage(ROOT + ".node..", ROOT + ".chain..", ROOT + ".sidecar..")
        .and()
        .doNotHaveSimpleName("UsageWatch")
        .and()
        .doNotHaveSimpleName("BackingOffSidecarClient")
        .should()
        .dependOnClassesThat()
        .areAssignableTo(ScheduledExecutorService.class)
        .orShould()
        .dependOnClassesThat()
        .areAssignableTo(Timer.class)
        .check(MAIN);
  }

  @Test
  void namesSayWhatAClassIs() {
    noClasses().should().haveNameMatching(".*(Utils?|Helpers?|Manager)").check(ALL);
  }

  private static DescribedPredicate<JavaClass> arePure() {
    return DescribedPredicate.describe(
        "are pure",
        it ->
            resideInAnyPackage(
                        room("api.v1alpha1"),
                        room("api.validation"),
                        room("render"),
                        room("diagnosis"),
                        room("progression"),
                        room("plan"))
                    .test(it)
                || PURE.contains(it.getName().replaceAll("\\$.*", "").replace(ROOT + ".", "")));
  }

  private static DescribedPredicate<JavaAccess<?>> readsTheTime() {
    Set<String> readers =
        Set.of(
            "java.time.Instant.now",
            "java.time.Clock.systemUTC",
            "java.time.Clock.systemDefaultZone",
            "java.time.ZonedDateTime.now",
            "java.time.LocalDateTime.now",
            "java.lang.System.currentTimeMillis",
            "java.lang.System.nanoTime");
    return DescribedPredicate.describe(
        "reads the time",
        access ->
            readers.contains(
                access.getTargetOwner().getName() + "." + access.getTarget().getName()));
  }

  private static String room(String name) {
    return ROOT + "." + name + "..";
  }
}
