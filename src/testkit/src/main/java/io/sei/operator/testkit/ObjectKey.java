package io.sei.operator.testkit;

import io.fabric8.kubernetes.api.model.HasMetadata;

/** The namespace and name of a pod or a claim. */
record ObjectKey(String namespace, String name) {
  static ObjectKey of(HasMetadata object) {
    return new ObjectKey(object.getMetadata().getNamespace(), object.getMetadata().getName());
  }
}
