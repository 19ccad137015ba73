package io.sei.operator.testkit.controlplane;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/**
 * Works like {@link RealControlPlane}, for tests that stop a component, read the audit log, manage
 * all namespaces, or change cluster-scoped objects: these classes share a second control plane, one
 * class after the other. Each leaves it running and with CRDs. *
 *
 * <p>One thread runs them from the start of the run on. Threads that take them as they come wait
 * for one another instead of running other tests, and the last of the classes would run alone.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(ControlPlaneExtension.class)
@Execution(ExecutionMode.SAME_THREAD)
@ResourceLock("exclusive-control-plane")
public @interface ExclusiveControlPlane {}
