package io.sei.operator.render;

import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.EnvVarBuilder;
import java.util.ArrayList;
import java.util.List;

/** The environment of a container, in the order in which it was put together. */
final class Environment {

  private final List<EnvVar> variables = new ArrayList<>();

  Environment with(String name, String value) {
    variables.add(new EnvVarBuilder().withName(name).withValue(value).build());
    return this;
  }

  Environment withSecret(String name, String secret, String key) {
    variables.add(
        new EnvVarBuilder()
            .withName(name)
            .withNewValueFrom()
            .withNewSecretKeyRef(key, secret, null)
            .endValueFrom()
            .build());
    return this;
  }

  List<EnvVar> variables() {
    return List.copyOf(variables);
  }
}
