package io.sei.operator;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The test kit is a project of its own: the operator's tests use it, and it uses nothing of ours.
 */
class TestKitRulesTest {

  private static final Path KIT = Path.of("src", "testkit", "src");

  private static final DescribedPredicate<JavaClass> OF_THE_KIT =
      DescribedPredicate.describe("are of the test kit", TestKitRulesTest::isOfTheKit);

  private static final DescribedPredicate<JavaClass> OF_THE_OPERATOR =
      DescribedPredicate.describe(
          "are of the operator or of its tests",
          type -> type.getPackageName().startsWith("io.sei.operator") && !isOfTheKit(type));

  @Test
  void knowsNoClassOfTheOperator() {
    JavaClasses kit = Imported.ALL.that(OF_THE_KIT);

    assertThat(kit).isNotEmpty();
    noClasses().should().dependOnClassesThat(OF_THE_OPERATOR).check(kit);
  }

  private static boolean isOfTheKit(JavaClass type) {
    String outermost = type.getBaseComponentType().getName().replaceFirst("\\$.*", "");
    String file = outermost.replace('.', '/') + ".java";
    return List.of("main", "test").stream()
        .anyMatch(root -> Files.exists(KIT.resolve(root).resolve("java").resolve(file)));
  }
}
