package io.sei.operator.testkit.controlplane;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.ResourceLock;

/**
 * As {@link RealControlPlane}, for tests that stop a component, read the audit log, manage all
 * namespaces, or change what belongs to no namespace: these classes share a second control plane,
 * one class after the other. Each leaves it running and with CRDs.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(ControlPlaneExtension.class)
@ResourceLock("exclusive-control-plane")
public @interface ExclusiveControlPlane {}
