package io.sei.operator.testkit.controlplane;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Gives the methods of a test class a real control plane, which all such classes of a test run
 * share. A method may take a {@link ControlPlane}, its administrator's {@link
 * io.fabric8.kubernetes.client.KubernetesClient} and a {@link TestNamespace} of its own.
 *
 * <p>Tests that stop a component or count requests start a {@link ControlPlane} themselves.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Order(RealControlPlane.BEFORE_THOSE_THAT_COMPUTE)
@ExtendWith(ControlPlaneExtension.class)
public @interface RealControlPlane {

  /** Such classes wait most of the time: run last, they would leave processors idle. */
  int BEFORE_THOSE_THAT_COMPUTE = Order.DEFAULT - 1;
}
