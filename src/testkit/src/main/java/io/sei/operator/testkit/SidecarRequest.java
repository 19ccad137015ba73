package io.sei.operator.testkit;

/**
 * One HTTP request a simulated sidecar answered. Requests whose connection was dropped are not
 * recorded: no sidecar ever saw them.
 *
 * @param method the HTTP method
 * @param path the path behind the node's prefix, such as {@code /v0/tasks}
 * @param body the request body, empty when there was none
 * @param authorization the {@code Authorization} header, empty when there was none
 * @param status the HTTP status of the answer
 */
public record SidecarRequest(
    String method, String path, String body, String authorization, int status) {

  /** Returns whether this is a request of that method and path. */
  public boolean is(String method, String path) {
    return this.method.equals(method) && this.path.equals(path);
  }
}
