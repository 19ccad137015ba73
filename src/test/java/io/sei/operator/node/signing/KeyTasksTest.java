package io.sei.operator.node.signing;

import static io.sei.operator.testkit.samples.NodeSample.aNode;
import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.Validator;
import io.sei.operator.node.OfflineNode;
import io.sei.operator.node.ValidatorTestCase;
import io.sei.operator.plan.Step;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class KeyTasksTest {

  private static final Validator ALL_KEYS =
      ValidatorTestCase.keys("s", "n", ValidatorTestCase.keyring("k", "p"));

  @ParameterizedTest
  @EnumSource(
      value = PlanKind.class,
      names = {"INIT", "UPDATE"})
  void keysAreLookedAtRightBeforeTheStatefulSetIsApplied(PlanKind kind) {
    List<String> types = types(kind, ALL_KEYS);

    int apply = types.indexOf("apply-statefulset");
    assertThat(types.subList(apply - 3, apply))
        .containsExactly("validate-signing-key", "validate-node-key", "validate-operator-keyring");
  }

  @Test
  void nothingIsLookedAtThatTheSpecDoesNotName() {
    assertThat(types(PlanKind.INIT, new Validator(null, null, null, null, null, null, null, null)))
        .noneMatch(type -> type.startsWith("validate-"));
    assertThat(types(PlanKind.INIT, ValidatorTestCase.keys("s", "n", null)))
        .contains("validate-signing-key", "validate-node-key")
        .doesNotContain("validate-operator-keyring");
    assertThat(types(PlanKind.MARK_READY, ALL_KEYS)).noneMatch(type -> type.startsWith("validate"));
  }

  @Test
  void paramsNameSecretsAsTheGoOperatorDoes() {
    assertThat(tasks(PlanKind.INIT, ALL_KEYS))
        .filteredOn(task -> task.type().equals("validate-operator-keyring"))
        .extracting(task -> task.params().toString())
        .containsExactly(
            "{\"namespace\":\"default\",\"secretName\":\"k\",\"keyName\":null,"
                + "\"passphraseSecretName\":\"p\",\"passphraseSecretKey\":\"passphrase\"}");
  }

  private static List<String> types(PlanKind kind, Validator validator) {
    return tasks(kind, validator).stream().map(Step::type).toList();
  }

  private static List<Step> tasks(PlanKind kind, Validator validator) {
    return OfflineNode.PLANS.of(kind, aNode("sei:a").running().validator(validator).view()).tasks();
  }
}
