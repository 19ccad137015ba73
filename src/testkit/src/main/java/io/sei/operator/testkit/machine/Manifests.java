package io.sei.operator.testkit.machine;

/** Resources that fit a {@link Machine}. */
public final class Manifests {

  private Manifests() {}

  /** The spec of a node; more lines of it may follow. */
  public static String spec(String image) {
    return """
    chainId: atlantic-2
    image: %s
    fullNode: {}
    terminationGracePeriodSeconds: 20
    resources: {requests: {cpu: 10m, memory: 64Mi}}
    """
        .formatted(image);
  }

  /** A node. */
  public static String node(String name, String image) {
    return """
    apiVersion: sei.io/v1alpha1
    kind: SeiNode
    metadata: {name: %s}
    spec:
    %s
    """
        .formatted(name, spec(image).indent(2));
  }

  /** A fleet of two nodes. */
  public static String fleet(String name, String image) {
    return """
    apiVersion: sei.io/v1alpha1
    kind: SeiNodeDeployment
    metadata: {name: %s}
    spec:
      replicas: 2
      template:
        spec:
    %s
    """
        .formatted(name, spec(image).indent(6));
  }
}
