package io.sei.operator;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.JavaParameterizedType;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Where state may be kept. */
class StateRulesTest {

  private static final JavaClasses MAIN = Imported.MAIN;

  /** Classes that hear when an object is dropped, or keep it for moments only. */
  private static final Set<String> DROPPED = Set.of("ChainWatch", "Sidecars", "Wakes");

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

  /** What an object is kept by elsewhere would outlive it, unless somebody remembers to drop it. */
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
