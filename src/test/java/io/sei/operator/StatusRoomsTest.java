package io.sei.operator;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClasses;
import io.sei.operator.api.v1alpha1.ConditionType;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentStatus;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentStatusBuilder;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.reconcile.ConditionsDraft;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Allows the core, and each feature in its own package, to decide on the status. */
class StatusRoomsTest {

  private static final JavaClasses MAIN = Imported.MAIN;

  @Test
  void onlyTheCoreAndItsOwnFeatureSetAConditionOfANode() {
    noClasses()
        .that()
        .resideInAPackage(room("node"))
        .and()
        .resideOutsideOfPackages(
            room("node.status"),
            room("node.hold"),
            room("node.signing"),
            room("node.sync"),
            room("node.upgrade"),
            room("node.rollout"),
            room("node.volume"))
        .and()
        .doNotHaveSimpleName("ExporterReady")
        .and()
        // A node that is not adopted has no pass: all that is written is why.
        .doNotHaveSimpleName("Coexistence")
        .should()
        .callMethodWhere(
            DescribedPredicate.describe(
                "sets a condition of a node",
                call ->
                    call.getTargetOwner().isEquivalentTo(NodePass.class)
                        && call.getName().equals("put")))
        .check(MAIN);
  }

  @Test
  void onlyFleetStatusDecidesWhatAUserReadsOfAFleet() {
    noClasses()
        .that()
        .resideInAPackage(room("fleet"))
        .and()
        .haveNameNotMatching(".*\\.fleet\\.Fleet(Conditions|Status)([.$].*)?")
        .should()
        .callMethodWhere(
            DescribedPredicate.describe(
                "sets a condition or a phase of a fleet",
                call ->
                    Set.of(
                                SeiNodeDeploymentStatus.class.getName(),
                                SeiNodeDeploymentStatusBuilder.class.getName(),
                                SeiNodeDeploymentStatusBuilder.With.class.getName())
                            .contains(call.getTargetOwner().getName())
                        && Set.of("conditions", "phase", "withConditions", "withPhase")
                            .contains(call.getName())
                        && !call.getTarget().getRawParameterTypes().isEmpty()))
        .orShould()
        .callMethodWhere(
            DescribedPredicate.describe(
                "makes a condition",
                call ->
                    call.getTargetOwner().isEquivalentTo(ConditionsDraft.class)
                        && call.getName().equals("put")))
        .check(MAIN);
  }

  /** A text could be that of a condition of another kind, or of one that is never set. */
  @Test
  void conditionsAreAskedForByTypeAndNotByText() {
    noClasses()
        .that()
        .resideOutsideOfPackage(room("api.v1alpha1"))
        .should()
        .callMethodWhere(
            DescribedPredicate.describe(
                "makes text of the type of a condition",
                call ->
                    call.getTargetOwner().isAssignableTo(ConditionType.class)
                        && call.getName().equals("toString")))
        .check(MAIN);
  }

  private static String room(String name) {
    return "io.sei.operator." + name + "..";
  }
}
