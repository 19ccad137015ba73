package io.sei.operator.kube;

import io.fabric8.kubernetes.api.model.HasMetadata;

/** Paths of objects at the API server. */
public final class ObjectPath {

  private ObjectPath() {}

  /** Path of a namespaced object. */
  public static String of(HasMetadata object) {
    String version = object.getApiVersion();
    return (version.contains("/") ? "/apis/" : "/api/")
        + version
        + "/namespaces/"
        + object.getMetadata().getNamespace()
        + "/"
        + object.getPlural()
        + "/"
        + object.getMetadata().getName();
  }
}
