package io.sei.operator.testkit.machine;

import java.lang.reflect.Method;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.junit.platform.commons.support.AnnotationSupport;

/** Turns {@link KnownFailure} round, and prints those that were seen at the end. */
final class KnownFailures implements InvocationInterceptor {

  private static final ExtensionContext.Namespace STORE =
      ExtensionContext.Namespace.create(KnownFailures.class);

  @Override
  public void interceptTestMethod(
      Invocation<Void> invocation,
      ReflectiveInvocationContext<Method> method,
      ExtensionContext context)
      throws Throwable {
    KnownFailure known =
        AnnotationSupport.findAnnotation(method.getExecutable(), KnownFailure.class).orElseThrow();
    try {
      invocation.proceed();
    } catch (Throwable failure) {
      if (!String.valueOf(failure.getMessage()).contains(known.message())) {
        throw new AssertionError(
            "known to fail with \"%s\", and fails otherwise".formatted(known.message()), failure);
      }
      seen(context).add(known.value());
      return;
    }
    throw new AssertionError(
        "passes now, so that it is no known failure any more: " + known.value());
  }

  private static SeenFailures seen(ExtensionContext context) {
    return context
        .getRoot()
        .getStore(STORE)
        .computeIfAbsent(SeenFailures.class, key -> new SeenFailures(), SeenFailures.class);
  }
}
