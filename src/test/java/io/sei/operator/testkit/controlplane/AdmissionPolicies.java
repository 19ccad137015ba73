package io.sei.operator.testkit.controlplane;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingAdmissionPolicy;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingAdmissionPolicyBinding;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The admission policies of the chart, in force on every control plane of the tests. They have
 * names of their own, so that a test can install the chart beside them.
 */
final class AdmissionPolicies {

  private static final Path FILE = Path.of("deploy", "kustomize", "base", "operator.yaml");

  private AdmissionPolicies() {}

  static void install(KubernetesClient client) {
    Path file = ControlPlaneBinaries.projectDirectory().resolve(FILE);
    try (InputStream objects = Files.newInputStream(file)) {
      client.load(objects).items().forEach(object -> install(client, object));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void install(KubernetesClient client, HasMetadata object) {
    if (object instanceof ValidatingAdmissionPolicyBinding binding) {
      binding.getSpec().setPolicyName(name(binding.getSpec().getPolicyName()));
    } else if (!(object instanceof ValidatingAdmissionPolicy)) {
      return;
    }
    object.setMetadata(
        new ObjectMetaBuilder().withName(name(object.getMetadata().getName())).build());
    client.resource(object).create();
  }

  private static String name(String inTheChart) {
    return "tested-" + inTheChart;
  }
}
