package io.sei.operator.sidecar;

import java.net.http.HttpHeaders;

/**
 * Response of a sidecar or of the proxy in front of it.
 *
 * @param remark what explains the answer, to be put behind its words; may be empty
 */
record SidecarResponse(int statusCode, HttpHeaders headers, byte[] body, String remark) {
  boolean isSuccess() {
    return statusCode / 100 == 2;
  }
}
