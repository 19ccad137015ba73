package io.sei.operator;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClasses;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentStatus;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentStatusBuilder;
import io.sei.operator.node.model.NodeReconcile;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What a user reads is decided in one room for nodes, and in one for fleets. */
class StatusRoomsTest {

  private static final JavaClasses MAIN = Imported.MAIN;

  @Test
  void onlyNodeStatusSetsTheConditionsOfANode() {
    noClasses()
        .that()
        .resideInAPackage(room("node"))
        .and()
        .resideOutsideOfPackage(room("node.status"))
        .should()
        .callMethodWhere(
            DescribedPredicate.describe(
                "sets a condition of a node",
                call ->
                    call.getTargetOwner().isEquivalentTo(NodeReconcile.class)
                        && call.getName().equals("condition")))
        .check(MAIN);
  }

  @Test
  void onlyFleetStatusDecidesWhatAUserReadsOfAFleet() {
    noClasses()
        .that()
        .resideInAPackage(room("fleet"))
        .and()
        .resideOutsideOfPackage(room("fleet.status"))
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
                    call.getTargetOwner().isEquivalentTo(Conditions.class)
                        && call.getName().equals("with")))
        .check(MAIN);
  }

  private static String room(String name) {
    return "io.sei.operator." + name + "..";
  }
}
