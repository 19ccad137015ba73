package io.sei.operator.testkit.machine;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * What the operator is known to do wrong on a real machine. The test runs like every other and has
 * to fail in the way that is stated; one that passes breaks the build, because then this is to be
 * taken away. A run ends with the list of them.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(KnownFailures.class)
public @interface KnownFailure {

  /** What is wrong, for the list. */
  String value();

  /** Words of the failure's message. */
  String message();
}
