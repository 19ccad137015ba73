package io.sei.operator.testkit;

import io.sei.operator.testkit.controlplane.RealControlPlane;
import java.util.Comparator;
import org.junit.jupiter.api.ClassDescriptor;
import org.junit.jupiter.api.ClassOrderer;
import org.junit.jupiter.api.ClassOrdererContext;
import org.junit.jupiter.api.Order;

/**
 * Begins with the classes that {@link Order} names, then those on the shared control plane, which
 * wait most of the time. The others compute, so that no processor is idle at the end of a run.
 */
public final class WaitingFirst implements ClassOrderer {

  private static final Comparator<ClassDescriptor> ORDER =
      Comparator.<ClassDescriptor>comparingInt(
              type -> type.findAnnotation(Order.class).map(Order::value).orElse(Order.DEFAULT))
          .thenComparing(type -> !type.isAnnotated(RealControlPlane.class));

  @Override
  public void orderClasses(ClassOrdererContext context) {
    context.getClassDescriptors().sort(ORDER);
  }
}
