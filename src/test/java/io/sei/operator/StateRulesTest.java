package io.sei.operator;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.JavaParameterizedType;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.api.v1alpha1.PlannedTask;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentStatus;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.node.feature.NodePass;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Restricts the places in which state is kept. */
class StateRulesTest {

  private static final JavaClasses MAIN = Imported.MAIN;

  /** Classes that hear when an object is dropped, or keep it for moments only. */
  private static final Set<String> DROPPED = Set.of("ChainPoller", "Sidecars", "ReconcileTrigger");

  private static final Set<String> STATUSES =
      Set.of(SeiNodeStatus.class.getName(), SeiNodeDeploymentStatus.class.getName());

  private static final Set<String> READS = Set.of("conditions", "condition", "isTrue");

  /**
   * Classes that may read conditions of a status. Conditions are for people, and decisions are made
   * on fields: a class leaves the list once it no longer reads them, and none is added.
   */
  private static final Set<String> READ_CONDITIONS =
      Stream.of(
              // Sets them, or makes status.reason of them.
              Set.of("FleetConditions", "FleetStatus", "NodeController", "NodePass", "NodeStatus"),
              // Tells in Events how they have changed.
              Set.of("ConditionEvents", "FleetEvents", "NodeEvents", "UpgradeEvents"),
              // Says of the nodes of a fleet or a task, and of nodes that want the same key.
              Set.of("FleetNode", "KeyHolders", "Target"),
              // Repeats them while nothing better is known, and keeps those that are there.
              Set.of(
                  "CaughtUp",
                  "DataVolumeAtRisk",
                  "DataVolumeResized",
                  "DataVolumesAtRisk",
                  "ExporterReady",
                  "ChainGenesis",
                  "GivenGenesis",
                  "Hold",
                  "InheritedObjects",
                  "KeyConditions",
                  "NodeConditions",
                  "PinnedVolume",
                  "PlannedUpgrade",
                  "PodUpdates",
                  "BlockProduction",
                  "RestartExplanation",
                  "SidecarReady",
                  "SnapshotsHealthy",
                  "Stalling",
                  "UpgradesReady",
                  "VolumeAttributes"),
              // Still decides on what one says.
              Set.of("NodeIdRecord"))
          .flatMap(Set::stream)
          .collect(Collectors.toUnmodifiableSet());

  /** A comparison of a reason or a message of a status with text. */
  private static final Pattern COMPARED =
      Pattern.compile(
          "\"\\s*\\.equals\\((?:\\w+\\.)*(?:reason|message|stall|readyReason)\\(\\)"
              + "|\\b(?:reason|message|stall|readyReason)\\(\\)\\s*\\."
              + "(?:equals|startsWith|endsWith|contains|matches)\\(\"");

  @Test
  void nothingIsDecidedOnWhatTheConditionsOfAStatusSay() {
    Set<String> reading =
        MAIN.stream()
            .filter(type -> !type.getPackageName().endsWith(".api.v1alpha1"))
            .filter(type -> !type.getPackageName().endsWith(".observability"))
            .filter(type -> type.getAccessesFromSelf().stream().anyMatch(StateRulesTest::reads))
            .map(
                type ->
                    type.getName().substring(type.getPackageName().length() + 1).split("[$]")[0])
            .collect(Collectors.toSet());

    assertThat(reading).isEqualTo(READ_CONDITIONS);
  }

  /**
   * Finds reads of conditions: of a status, and by {@code NodePass.draftedCondition} of one
   * condition.
   */
  private static boolean reads(JavaAccess<?> access) {
    return (STATUSES.contains(access.getTargetOwner().getFullName())
            && READS.contains(access.getName()))
        || (access.getTargetOwner().isEquivalentTo(NodePass.class)
            && access.getName().equals("draftedCondition"));
  }

  /** Code asks a task by {@code waitsFor} with a constant. */
  @Test
  void theTextOfTheReasonThatATaskWaitsForIsNotRead() {
    noClasses()
        .that()
        .resideOutsideOfPackage("io.sei.operator.api.v1alpha1..")
        .should()
        .accessTargetWhere(
            DescribedPredicate.describe(
                "reads the reason of a plan task as text",
                access ->
                    access.getTargetOwner().isEquivalentTo(PlannedTask.class)
                        && access.getName().equals("reason")))
        .check(MAIN);
  }

  @Test
  void reasonsAreNotComparedWithText() throws IOException {
    try (Stream<Path> files = Files.walk(Path.of("src/main/java"))) {
      assertThat(files.filter(file -> file.toString().endsWith(".java")))
          .allSatisfy(
              file -> assertThat(COMPARED.matcher(Files.readString(file)).find()).isFalse());
    }
  }

  @Test
  void staticFieldsAreFinal() {
    fields()
        .that()
        .areStatic()
        .and(
            DescribedPredicate.describe(
                "written by hand", field -> !field.getModifiers().contains(JavaModifier.SYNTHETIC)))
        .should()
        .beFinal()
        .andShould(notHoldState())
        .check(MAIN);
  }

  /** State kept elsewhere would outlive its object unless each deletion drops it. */
  @Test
  void whatIsKeptOfObjectsIsInTheirMemory() {
    fields()
        .that()
        .areDeclaredInClassesThat()
        .resideOutsideOfPackage("io.sei.operator.base..")
        .and(
            DescribedPredicate.describe(
                "nobody drops", field -> !DROPPED.contains(field.getOwner().getSimpleName())))
        .should(notBeMapsByObject())
        .check(MAIN);
  }

  private static ArchCondition<JavaField> notBeMapsByObject() {
    return new ArchCondition<>("not be maps by object") {
      @Override
      public void check(JavaField field, ConditionEvents events) {
        boolean isByObject =
            field.getType() instanceof JavaParameterizedType type
                && type.toErasure().isAssignableTo(Map.class)
                && type.getActualTypeArguments()
                    .get(0)
                    .getName()
                    .equals(ResourceID.class.getName());
        if (isByObject) {
          events.add(SimpleConditionEvent.violated(field, field.getFullName() + " is one"));
        }
      }
    };
  }

  private static ArchCondition<JavaField> notHoldState() {
    return new ArchCondition<>("hold nothing that can change") {
      @Override
      public void check(JavaField field, ConditionEvents events) {
        Object value = value(field);
        boolean constant =
            !(value instanceof Collection || value instanceof Map)
                || value.getClass().getName().startsWith("java.util.ImmutableCollections")
                || value.getClass().getName().startsWith("java.util.Collections$Unmodifiable");
        boolean atomic = field.getRawType().getPackageName().startsWith("java.util.concurrent");
        if (!constant || atomic) {
          events.add(SimpleConditionEvent.violated(field, field.getFullName() + " can change"));
        }
      }
    };
  }

  private static Object value(JavaField field) {
    try {
      var reflected = field.reflect();
      reflected.setAccessible(true);
      return reflected.get(null);
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(e);
    }
  }
}
