package io.sei.operator;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import io.sei.operator.fleet.feature.FleetNode;
import io.sei.operator.fleet.feature.FleetNodeBuilder;
import io.sei.operator.fleet.feature.FleetView;
import io.sei.operator.fleet.feature.FleetViewBuilder;
import io.sei.operator.node.feature.NodeView;
import io.sei.operator.node.feature.NodeViewBuilder;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Tests build nodes and fleets in the language of {@code testkit.samples}. */
class FixtureRulesTest {

  private static final JavaClasses TESTS =
      Imported.ALL.that(
          DescribedPredicate.describe(
              "are of tests", type -> !Imported.MAIN.contain(type.getName())));

  private static final Set<Class<?>> VIEWS =
      Set.of(NodeView.class, FleetView.class, FleetNode.class);

  private static final Set<Class<?>> BUILDERS =
      Set.of(NodeViewBuilder.class, FleetViewBuilder.class, FleetNodeBuilder.class);

  @Test
  void onlyTheSamplesMakeViewsOfNodesAndFleets() {
    noClasses()
        .that()
        .resideOutsideOfPackage("io.sei.operator.testkit.samples")
        .should()
        .callConstructorWhere(
            DescribedPredicate.describe(
                "gives every component of a view by its position",
                call -> isAnyOf(call.getTargetOwner(), VIEWS)))
        .orShould()
        .callMethodWhere(
            DescribedPredicate.describe(
                "begins a view without components",
                call ->
                    isAnyOf(call.getTargetOwner(), BUILDERS) && call.getName().equals("builder")))
        .check(TESTS);
  }

  private static boolean isAnyOf(JavaClass type, Set<Class<?>> classes) {
    return classes.stream().anyMatch(type::isEquivalentTo);
  }
}
