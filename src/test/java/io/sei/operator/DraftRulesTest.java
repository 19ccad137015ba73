package io.sei.operator;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaMethod;
import io.sei.operator.fleet.FleetController;
import io.sei.operator.node.NodeDiagnosis;
import io.sei.operator.node.feature.NodeFeature;
import io.sei.operator.plan.PlanDecision;
import io.sei.operator.plan.TaskOutcome;
import io.sei.operator.reconcile.Pass;
import io.sei.operator.reconcile.Veto;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Plan tasks, vetoes, planners, hooks that act beside a plan, and all that a pass of a fleet does
 * but for its report, read the stored status. The draft may have what an earlier step of the same
 * pass has put into it, and a crash before the write would lose that after the act that was based
 * on it.
 */
class DraftRulesTest {

  private static final JavaClasses MAIN = Imported.MAIN;

  /** Results of decisions; whatever computes one reads the stored status. */
  private static final Set<Class<?>> DECISIONS =
      Set.of(TaskOutcome.class, Veto.class, PlanDecision.class);

  /** Methods that plan, or act: hooks of a node's features, and the whole pass of a fleet. */
  private static final Map<Class<?>, Set<String>> ACTING =
      Map.of(
          NodeFeature.class,
          Set.of("planTriggers", "steps", "keep"),
          FleetController.class,
          Set.of("begin", "act"));

  /** A task only quotes the cause that a diagnosis finds. */
  private static final Set<Class<?>> REPORTS = Set.of(NodeDiagnosis.class);

  /** Methods that read the draft on the way to a decision, each with its reason. */
  private static final Map<String, String> EXCEPTIONS =
      Map.of(
          "SeidRestart.run",
          "the task before it in the same step records which run of seid is outdated; that run is"
              + " ended only once it is stored",
          "SigningScope.claim",
          "names the volume in the record of a key, with the handle as far as it is known");

  @Test
  void tasksVetoesPlannersAndWhatActsBesideThemReadTheStoredStatus() {
    Map<JavaCodeUnit, JavaCodeUnit> callers = callers();

    List<String> reading =
        callers.keySet().stream()
            .filter(DraftRulesTest::readsTheDraft)
            .filter(method -> !EXCEPTIONS.containsKey(name(method)))
            .map(method -> path(method, callers))
            .sorted()
            .toList();

    assertThat(reading).isEmpty();
  }

  @Test
  void everyExceptionIsNeeded() {
    Set<JavaCodeUnit> reached = callers().keySet();

    assertThat(reached)
        .filteredOn(DraftRulesTest::readsTheDraft)
        .extracting(DraftRulesTest::name)
        .containsAll(EXCEPTIONS.keySet());
  }

  private static boolean readsTheDraft(JavaCodeUnit method) {
    return method.getMethodCallsFromSelf().stream()
        .anyMatch(
            call ->
                Set.of("draft", "drafted").contains(call.getName())
                    && call.getTargetOwner().isAssignableTo(Pass.class));
  }

  private static boolean isDecision(JavaMethod method) {
    return ACTING.entrySet().stream()
            .anyMatch(
                acting ->
                    method.getOwner().isAssignableTo(acting.getKey())
                        && acting.getValue().contains(method.getName()))
        || DECISIONS.stream().anyMatch(method.getRawReturnType()::isAssignableTo);
  }

  /** Every method that a decision leads to, with the one that calls it. */
  private static Map<JavaCodeUnit, JavaCodeUnit> callers() {
    var callers = new HashMap<JavaCodeUnit, JavaCodeUnit>();
    Deque<JavaCodeUnit> open = new ArrayDeque<>();
    for (JavaClass type : MAIN) {
      type.getMethods().stream()
          .filter(DraftRulesTest::isDecision)
          .filter(method -> !isReport(method))
          .forEach(
              method -> {
                callers.put(method, null);
                open.add(method);
              });
    }
    while (!open.isEmpty()) {
      JavaCodeUnit caller = open.remove();
      caller.getAccessesFromSelf().stream()
          .flatMap(DraftRulesTest::targets)
          .filter(method -> !callers.containsKey(method) && !isReport(method))
          .toList()
          .forEach(
              method -> {
                callers.put(method, caller);
                open.add(method);
              });
    }
    return callers;
  }

  private static boolean isReport(JavaCodeUnit method) {
    return REPORTS.stream().anyMatch(method.getOwner()::isEquivalentTo);
  }

  /** The method that is called, and those that override it. */
  private static Stream<JavaCodeUnit> targets(JavaAccess<?> access) {
    if (!(access.getTarget().resolveMember().orElse(null) instanceof JavaCodeUnit method)
        || !MAIN.contain(method.getOwner().getName())) {
      return Stream.empty();
    }
    return Stream.concat(
        Stream.of(method),
        method.getOwner().getAllSubclasses().stream()
            .flatMap(type -> type.getMethods().stream())
            .filter(
                override ->
                    override.getName().equals(method.getName())
                        && override.getRawParameterTypes().equals(method.getRawParameterTypes())));
  }

  private static String path(JavaCodeUnit method, Map<JavaCodeUnit, JavaCodeUnit> callers) {
    var path = new ArrayList<String>();
    for (JavaCodeUnit at = method; at != null; at = callers.get(at)) {
      path.add(name(at));
    }
    return String.join(" is called by ", path);
  }

  private static String name(JavaCodeUnit method) {
    return method.getOwner().getSimpleName() + "." + method.getName();
  }
}
