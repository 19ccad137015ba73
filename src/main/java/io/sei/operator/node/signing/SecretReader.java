package io.sei.operator.node.signing;

import io.fabric8.kubernetes.api.model.ListOptions;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.api.model.Secret;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.kube.KubeApi;
import java.util.Optional;

/** Reads Secrets, nodes of the namespace and records of keys from the API server. */
record SecretReader(KubeApi api, SigningScope scope) {

  private static final ListOptions ALL = new ListOptionsBuilder().build();

  /** The public key in a Secret as it is now; empty if it holds none. */
  Optional<String> publicKey(String namespace, String secret) {
    return KeySecrets.publicKey(secret, api.get(Secret.class, namespace, secret));
  }

  /** Describes another node that signs with a key, without foreign objects; empty for none. */
  Optional<String> holder(ResourceID node, String publicKey) {
    return api.list(SeiNode.class, node.getNamespace().orElseThrow(), ALL).stream()
        .filter(other -> !node.getName().equals(other.getMetadata().getName()))
        .filter(other -> other.getStatus() != null)
        .filter(other -> publicKey.equals(other.getStatus().signingPublicKey()))
        .map(other -> "SeiNode " + other.getMetadata().getName())
        .findFirst()
        .or(() -> scope.register().flatMap(register -> register.holder(node, publicKey)));
  }
}
