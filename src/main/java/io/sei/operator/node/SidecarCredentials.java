package io.sei.operator.node;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.config.ServiceAccountRef;
import io.sei.operator.config.TakeoverConfig;
import io.sei.operator.kube.Refusal;
import io.sei.operator.kube.ServiceAccountTokens;
import io.sei.operator.sidecar.SidecarException;
import java.net.HttpURLConnection;
import java.util.Optional;

/**
 * Gets the tokens by which the operator calls sidecars, of ServiceAccounts that may do nothing
 * else. The operator's own token is never sent to a pod.
 *
 * @param account as which pods of this operator are called
 * @param takeover namespaces in which pods of the Go operator are called too, as an account of the
 *     namespace: their proxies accept only tokens that the API server accepts as well
 */
public record SidecarCredentials(
    ServiceAccountRef account, TakeoverConfig takeover, ServiceAccountTokens tokens) {

  /**
   * Returns the token for the proxy of a node's pod.
   *
   * @throws SidecarException if that proxy may be sent none, or the API server issues none
   */
  String token(SeiNode node, Pod pod) {
    String namespace = node.getMetadata().getNamespace();
    return switch (SidecarAdmission.proxy(node, pod, takeover.covers(namespace))) {
      case OF_THIS_OPERATOR -> request(pod, account, Optional.of(SidecarAdmission.audience(node)));
      case OF_THE_GO_OPERATOR ->
          request(
              pod,
              new ServiceAccountRef(account.namespace(), account.name() + "-" + namespace),
              Optional.empty());
    };
  }

  /** Notes that a proxy rejected a token (401). */
  void rejected(String token) {
    tokens.rejected(token);
  }

  private String request(Pod pod, ServiceAccountRef from, Optional<String> audience) {
    try {
      return tokens.token(from.namespace(), from.name(), audience);
    } catch (KubernetesClientException e) {
      throw switch (e.getCode()) {
        case HttpURLConnection.HTTP_FORBIDDEN ->
            forbidden(
                pod,
                "the operator may not create serviceaccounts/token of ServiceAccount %s: %s"
                    .formatted(from, Refusal.words(e)));
        case HttpURLConnection.HTTP_NOT_FOUND ->
            forbidden(pod, "ServiceAccount %s does not exist".formatted(from));
        default ->
            SidecarAdmission.withheld(
                pod,
                "cannot get a token of ServiceAccount %s: %s".formatted(from, Refusal.words(e)));
      };
    }
  }

  private static SidecarException forbidden(Pod pod, String why) {
    return new SidecarException(
        SidecarException.Kind.FORBIDDEN,
        "no request was sent to pod %s: %s; install the chart of the operator's version"
            .formatted(pod.getMetadata().getName(), why));
  }
}
