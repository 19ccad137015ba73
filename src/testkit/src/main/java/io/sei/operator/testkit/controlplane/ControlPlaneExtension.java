package io.sei.operator.testkit.controlplane;

import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.Locale;
import java.util.UUID;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.platform.commons.support.AnnotationSupport;

/**
 * Starts one control plane per test run and injects it; see {@link RealControlPlane} and {@link
 * ControlPlaneSetup}.
 */
public final class ControlPlaneExtension implements BeforeAllCallback, ParameterResolver {

  private static final ExtensionContext.Namespace STORE =
      ExtensionContext.Namespace.create(ControlPlaneExtension.class);
  private static final int MAX_TEST_NAME = 40;

  @Override
  public void beforeAll(ExtensionContext context) {
    controlPlane(context);
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    Class<?> type = parameter.getParameter().getType();
    return type == ControlPlane.class
        || type == KubernetesClient.class
        || (type == TestNamespace.class && context.getTestMethod().isPresent());
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    Class<?> type = parameter.getParameter().getType();
    if (type == ControlPlane.class) {
      return controlPlane(context);
    }
    if (type == KubernetesClient.class) {
      return client(context);
    }
    return context
        .getStore(STORE)
        .computeIfAbsent(TestNamespace.class, key -> createNamespace(context), TestNamespace.class);
  }

  private static ControlPlane controlPlane(ExtensionContext context) {
    ControlPlane controlPlane = started(context);
    context
        .getRoot()
        .getStore(STORE)
        .computeIfAbsent(
            controlPlane,
            key -> ControlPlaneSetup.FOUND.installForTests(controlPlane.client()),
            AutoCloseable.class);
    return controlPlane;
  }

  private static ControlPlane started(ExtensionContext context) {
    boolean exclusive =
        AnnotationSupport.isAnnotated(context.getTestClass(), ExclusiveControlPlane.class);
    var options = ControlPlane.Options.defaults();
    return context
        .getRoot()
        .getStore(STORE)
        .computeIfAbsent(
            exclusive ? ExclusiveControlPlane.class : RealControlPlane.class,
            key -> ControlPlane.start(exclusive ? options.withAuditLog() : options),
            ControlPlane.class);
  }

  private static KubernetesClient client(ExtensionContext context) {
    return controlPlane(context).client();
  }

  private static TestNamespace createNamespace(ExtensionContext context) {
    String test =
        context
            .getRequiredTestMethod()
            .getName()
            .replaceAll("([a-z0-9])([A-Z])", "$1-$2")
            .toLowerCase(Locale.ROOT)
            .replaceAll("[^a-z0-9-]", "-");
    String name =
        "t-%s-%s"
            .formatted(
                test.substring(0, Math.min(test.length(), MAX_TEST_NAME)),
                UUID.randomUUID().toString().substring(0, 6));
    client(context)
        .resource(new NamespaceBuilder().withNewMetadata().withName(name).endMetadata().build())
        .create();
    return new TestNamespace(name);
  }
}
