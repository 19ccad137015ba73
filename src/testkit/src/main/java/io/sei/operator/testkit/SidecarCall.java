package io.sei.operator.testkit;

/** A request to one node's sidecar, read to its end. */
record SidecarCall(String namespace, String node, String method, String path, String body) {

  boolean isRead() {
    return "GET".equals(method) || "HEAD".equals(method);
  }

  @Override
  public String toString() {
    return method + " " + path + " of the sidecar of " + node;
  }
}
