package io.sei.operator.testkit;

import io.fabric8.kubernetes.api.model.storage.StorageClass;
import io.fabric8.kubernetes.api.model.storage.StorageClassBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;

/** A StorageClass for the claims of one namespace, which goes with the test that made it. */
public final class TestStorageClass implements AutoCloseable {

  private final KubernetesClient client;
  private final StorageClass storageClass;

  /**
   * @param expandable whether the API server lets claims of it grow
   */
  public TestStorageClass(KubernetesClient client, String namespace, boolean expandable) {
    this.client = client;
    this.storageClass =
        client
            .resource(
                new StorageClassBuilder()
                    .withNewMetadata()
                    .withName(namespace)
                    .endMetadata()
                    .withProvisioner("sei.io/simulated")
                    .withAllowVolumeExpansion(expandable)
                    .build())
            .create();
  }

  /** Its name. */
  public String name() {
    return storageClass.getMetadata().getName();
  }

  /** Lets claims grow from now on. */
  public void allowExpansion() {
    client
        .resource(storageClass)
        .edit(resource -> new StorageClassBuilder(resource).withAllowVolumeExpansion(true).build());
  }

  @Override
  public void close() {
    client.resource(storageClass).delete();
  }
}
