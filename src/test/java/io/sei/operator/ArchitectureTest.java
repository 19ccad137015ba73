package io.sei.operator;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import io.fabric8.kubernetes.api.model.apps.StatefulSetStatus;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.sei.operator.fleet.feature.FleetFeature;
import io.sei.operator.node.feature.NodeFeature;
import io.sei.operator.node.objects.ImagePuller;
import io.sei.operator.render.PullJobRenderer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.Timer;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Dependencies of packages. Each package has a page, its {@code package-info.java}, that lists the
 * packages it uses; features, controllers and pure classes have rules of their own.
 */
class ArchitectureTest {

  private static final String ROOT = "io.sei.operator";

  private static final JavaClasses MAIN = Imported.MAIN;

  private static final JavaClasses ALL = Imported.ALL;

  /** Classes that compute and do nothing else, outside the packages that are pure as a whole. */
  private static final Set<String> PURE =
      Set.of(
          """
          base.Sha256 base.Text base.Times chain.BlockRate chain.ChainAnswer chain.CurrentPlan
          chain.Governance chain.ProtobufMessage
          chain.ChainState chain.RpcAnswers chain.SyncState fleet.FleetConditions
          fleet.FleetEvents fleet.FleetStatus fleet.InheritedNetworking fleet.RolloutExplanation
          fleet.disruption.Availability fleet.disruption.ConfigurationOrder
          fleet.disruption.DataVolumesAtRisk fleet.disruption.Disruptions
          fleet.disruption.EarlyUpgrades fleet.disruption.RolloutForecast
          fleet.disruption.RolloutPlan fleet.disruption.RolloutPlanner
          fleet.disruption.RolloutPolicy fleet.disruption.RolloutRecord fleet.feature.TemplateAssignment
          fleet.feature.FleetView fleet.feature.Limits fleet.feature.Retention
          fleet.feature.Revisions fleet.feature.RolloutDecision fleet.feature.RolloutVerdict
          fleet.snapshots.SnapshotPlanner
          fleet.snapshots.SnapshotRetention fleet.snapshots.SnapshotRun
          fleet.snapshots.SnapshotsHealthy kube.SchemaGaps kube.SubsetDiff node.signing.AwaitedKeys
          node.NodePlanner node.NodePlans node.SidecarAdmission node.config.ConfigApply
          node.config.ConfigPatch node.config.ModeDefaults node.feature.EffectiveNode
          node.feature.NodeView node.feature.PeerResolution node.feature.PeerSelection
          node.feature.PeerSources node.feature.PutOff node.feature.SigningState
          node.feature.VolumeFacts node.feature.VolumeRisk node.feature.Witnesses
          node.hold.Hold node.objects.BootstrapState
          node.objects.BootstrapTasks node.objects.IdentityAction node.objects.Replay
          node.objects.SnapshotChoice node.objects.StatefulSetIdentity
          node.objects.TemplateDifferences node.rollout.PodPatch node.rollout.PodUpdateChoice
          node.signing.KeyConditions node.signing.KeyTasks node.signing.Ed25519Key
          node.status.NodeConditions node.status.Ready node.status.RestartExplanation
          node.status.Stalling node.status.UpToDate node.sync.CatchUpState
          node.sync.HeightRecord node.sync.Sync node.upgrade.PlannedUpgrade
          node.upgrade.PullSchedule node.upgrade.StartingHeight node.upgrade.UpgradeEvidence
          node.upgrade.UpgradesReady node.volume.DataVolumeAtRisk node.volume.Usage
          node.volume.UsageAnswer reconcile.ConditionProposal reconcile.ConditionsDraft
          takeover.Adoption takeover.Baseline task.ImageUpdateRequest task.NodeTaskOutcome
          task.NodeWork task.ReadyRequest task.SeidGuard task.SeidRestartRequest task.Target
          task.TaskRequest task.TaskRules task.TaskStep
          """
              .trim()
              .split("\\s+"));

  /** Packages that others of their controller know; each other one has features or is a task. */
  private static final Set<String> CORE =
      Set.of("node.feature", "node.status", "node.objects", "fleet.feature", "fleet.disruption");

  /** Features that a class beside the composition uses, and those classes. */
  private static final Map<String, Set<String>> KNOWN_FEATURES =
      Map.of(
          "BucketSnapshots", Set.of("NeededBuckets"),
          "FleetObjects", Set.of("Children"),
          "RolloutPlanner", Set.of("FleetController", "RolloutExplanation", "RolloutForecast"));

  private static final int MAX_PACKAGES = 31;

  private static final int MAX_HOOKS = 10;

  private static final Pattern ROW_PACKAGE = Pattern.compile("`([\\w.]+)`");

  private static final Pattern LINK = Pattern.compile("\\{@link (\\w+)}");

  /** Packages of both controllers, as they are on the class path: none can be forgotten. */
  static Stream<String> packagesOfControllers() {
    return MAIN.stream()
        .map(JavaClass::getPackageName)
        .filter(name -> name.matches("io\\.sei\\.operator\\.(node|fleet)\\..+"))
        .map(name -> name.substring(ROOT.length() + 1))
        .distinct()
        .sorted();
  }

  /** Controllers, and the packages of their features. */
  static Stream<String> controllersAndFeatures() {
    return Stream.concat(
        Stream.of("node", "fleet", "task"),
        packagesOfControllers().filter(name -> !CORE.contains(name)));
  }

  static Stream<String> packages() {
    return MAIN.stream().map(JavaClass::getPackageName).distinct().sorted();
  }

  /** A new dependency of a package is a change of its page, which a reviewer sees. */
  @ParameterizedTest
  @MethodSource("packages")
  void aPackageUsesWhatItsPageSays(String name) throws IOException {
    assertThat(page(name)).as(path(name)).contains("<p>" + uses(name));
  }

  @ParameterizedTest
  @MethodSource("packages")
  void thePageOfAPackageNamesTheClassesToBeginWith(String name) throws IOException {
    String page = page(name);

    assertThat(page)
        .as(path(name))
        .matches("/[*]{2} [A-Z].*[.] <p>Uses .*[.] <p>Begin with .*[.] [*]/ package .*");
    assertThat(LINK.matcher(page.substring(page.indexOf("<p>Begin with "))).results())
        .isNotEmpty()
        .extracting(link -> link.group(1))
        .allSatisfy(linked -> assertThat(MAIN.contain(name + "." + linked)).as(linked).isTrue());
  }

  /** The sentence that a page has; the composition may use every package. */
  private static String uses(String name) {
    if (name.equals(ROOT)) {
      return "Uses every other package.";
    }
    String used =
        MAIN.stream()
            .filter(type -> type.getPackageName().equals(name))
            .flatMap(type -> type.getDirectDependenciesFromSelf().stream())
            .map(dependency -> dependency.getTargetClass().getPackageName())
            .filter(other -> other.startsWith(ROOT + ".") && !other.equals(name))
            .distinct()
            .sorted()
            .map(other -> "{@code " + other.substring(ROOT.length() + 1) + "}")
            .collect(joining(", "));
    return used.isEmpty() ? "Uses no other package." : "Uses " + used + ".";
  }

  /** The page of the architecture lists each package once, and none uses one of a row above. */
  @Test
  void packagesAreInLayers() throws IOException {
    List<List<String>> layers =
        Files.readAllLines(Path.of("docs/dev/architecture.md")).stream()
            .dropWhile(line -> !line.startsWith("| Layer |"))
            .skip(2)
            .takeWhile(line -> line.startsWith("|"))
            .map(ArchitectureTest::packagesOfRow)
            .toList();

    assertThat(layers.stream().flatMap(List::stream))
        .containsExactlyInAnyOrderElementsOf(packages().toList());
    var above = new ArrayList<String>();
    for (List<String> layer : layers) {
      assertThat(
              MAIN.stream()
                  .filter(type -> layer.contains(type.getPackageName()))
                  .flatMap(type -> type.getDirectDependenciesFromSelf().stream())
                  .filter(used -> above.contains(used.getTargetClass().getPackageName())))
          .isEmpty();
      above.addAll(layer);
    }
  }

  private static List<String> packagesOfRow(String row) {
    return ROW_PACKAGE
        .matcher(row)
        .results()
        .map(found -> found.group(1))
        .map(name -> name.equals(ROOT) ? name : ROOT + "." + name)
        .toList();
  }

  /** The {@code package-info.java} of a package in one line. */
  private static String page(String name) throws IOException {
    assertThat(Path.of(path(name))).exists();
    return Files.readString(Path.of(path(name)))
        .replaceAll("\\n \\*(?!/)", " ")
        .replaceAll("\\s+", " ")
        .strip();
  }

  private static String path(String name) {
    return "src/main/java/" + name.replace('.', '/') + "/package-info.java";
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

  private static String simpleName(JavaClass type) {
    String file = file(type);
    return file.substring(file.lastIndexOf('.') + 1);
  }

  @ParameterizedTest
  @MethodSource("controllersAndFeatures")
  void controllersAndFeaturesAreKnownToTheCompositionOnly(String room) {
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

  /** Checks neighbours too, where features share a package. */
  @Test
  void aFeatureIsKnownToTheCompositionOnly() {
    var known = new TreeMap<String, Set<String>>();
    for (JavaClass type : MAIN) {
      type.getDirectDependenciesFromSelf().stream()
          .map(dependency -> dependency.getTargetClass())
          .filter(ArchitectureTest::isFeature)
          .filter(feature -> !file(feature).equals(file(type)))
          .filter(feature -> !type.getPackageName().equals(ROOT))
          .forEach(
              feature ->
                  known
                      .computeIfAbsent(simpleName(feature), name -> new TreeSet<>())
                      .add(simpleName(type)));
    }

    assertThat(known).isEqualTo(KNOWN_FEATURES);
  }

  private static boolean isFeature(JavaClass type) {
    return !type.isInterface()
        && (type.isAssignableTo(NodeFeature.class) || type.isAssignableTo(FleetFeature.class));
  }

  @Test
  void packagesAreFew() {
    assertThat(MAIN.stream().map(JavaClass::getPackageName).distinct())
        .hasSizeLessThanOrEqualTo(MAX_PACKAGES);
  }

  /** A hook is a place where features meet: one that serves a single feature belongs to it. */
  @Test
  void hooksOfNodesAreFewAndEachServesTwoFeatures() {
    JavaClass feature = MAIN.get(NodeFeature.class);
    Set<String> hooks =
        feature.getMethods().stream()
            .filter(method -> !method.getModifiers().contains(JavaModifier.STATIC))
            .map(JavaMethod::getName)
            .collect(toSet());

    assertThat(hooks).hasSizeLessThanOrEqualTo(MAX_HOOKS);
    assertThat(hooks)
        .allSatisfy(
            hook ->
                assertThat(feature.getAllSubclasses())
                    .filteredOn(
                        type ->
                            type.getMethods().stream()
                                .anyMatch(method -> method.getName().equals(hook)))
                    .hasSizeGreaterThanOrEqualTo(2));
  }

  /** A class is found, and spoken of, by its simple name. */
  @Test
  void noTwoFilesShareASimpleName() {
    Map<String, Set<String>> byName =
        MAIN.stream()
            .map(ArchitectureTest::file)
            .filter(file -> !file.endsWith(".package-info"))
            .collect(groupingBy(file -> file.substring(file.lastIndexOf('.') + 1), toSet()));

    assertThat(byName.values()).allSatisfy(files -> assertThat(files).hasSize(1));
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
    assertThat(packagesOfControllers()).containsAll(CORE);
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
        .doNotHaveSimpleName("UsagePoller")
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
        type ->
            resideInAnyPackage(
                        room("api.v1alpha1"),
                        room("api.validation"),
                        room("render"),
                        room("diagnosis"),
                        room("plan"))
                    .test(type)
                || PURE.contains(type.getName().replaceAll("\\$.*", "").replace(ROOT + ".", "")));
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
