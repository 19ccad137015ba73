package io.sei.operator.testkit.machine;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** Starts one {@link Machine} per test run, with one Node or three, and injects it. */
public final class MachineExtension implements ParameterResolver {

  /** The tag of tests that need three. */
  public static final String THREE = "cluster";

  private static final ExtensionContext.Namespace STORE =
      ExtensionContext.Namespace.create(MachineExtension.class);

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return parameter.getParameter().getType() == Machine.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    boolean three = context.getTags().contains(THREE);
    return context
        .getRoot()
        .getStore(STORE)
        .computeIfAbsent(
            Machine.class, key -> three ? Machine.startThree() : Machine.start(), Machine.class);
  }
}
