package io.sei.operator.render;

import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.EnvVarBuilder;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The environment of a container, in the order in which it was put together. */
final class Environment {

  private final List<EnvVar> variables = new ArrayList<>();

  Environment with(String name, String value) {
    variables.add(new EnvVarBuilder().withName(name).withValue(value).build());
    return this;
  }

  /** Adds nothing where there is no value: programs tell unset from empty. */
  Environment with(String name, Optional<String> value) {
    value.filter(it -> !it.isEmpty()).ifPresent(it -> with(name, it));
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
