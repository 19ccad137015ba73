package io.sei.operator.render;

import io.sei.operator.api.v1alpha1.DataVolume;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.base.Sha256;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Names of a node's objects and of what is inside its pod; they never change. */
public final class Names {

  /** The container that runs the chain. */
  public static final String SEID = "seid";

  /** The init container that prepares the home directory. */
  public static final String SEID_INIT = "seid-init";

  /** The sei-sidecar container. */
  public static final String SIDECAR = "sei-sidecar";

  /** The proxy that authorizes requests to the sidecar. */
  public static final String PROXY = "kube-rbac-proxy";

  /** The exporter of chain metrics. */
  public static final String EXPORTER = "cosmos-exporter";

  /** The first container of a pod that pulls images. */
  public static final String PULL = "pull";

  private static final String SIDECAR_AUDIENCE = "sei.io/sidecar/";

  /** Prefix of the claim's name, before the name of the node. */
  public static final String CLAIM_PREFIX = "data-";

  // With the name of a node, of up to 52 characters, a label of 63: that of the Job's pod. So few
  // digits are no proof: a Job that is found is compared with the one that is wanted.
  private static final int PULL_DIGITS = 5;

  /** The readiness gate of a pod in which seid is not started. */
  public static final String RELEASED_GATE = "sei.io/released";

  private static final Pattern EXTERNAL =
      Pattern.compile("([A-Za-z0-9._-]+|\\[[a-fA-F0-9:.]+\\]):[0-9]{1,5}");

  private Names() {}

  /** Name of the node's StatefulSet. */
  public static String statefulSet(SeiNode node) {
    return node.getMetadata().getName();
  }

  /** Name of the node's headless Service, which also is the StatefulSet's serviceName. */
  public static String service(SeiNode node) {
    return node.getMetadata().getName();
  }

  /** Name of the Service that a node's remote signer dials. */
  public static String signerService(SeiNode node) {
    return node.getMetadata().getName() + "-signer";
  }

  /** Name of the Service in front of a fleet's nodes. */
  public static String internalService(SeiNodeDeployment fleet) {
    return fleet.getMetadata().getName() + "-internal";
  }

  /** Name of the fleet's PodDisruptionBudget. */
  public static String disruptionBudget(SeiNodeDeployment fleet) {
    return fleet.getMetadata().getName();
  }

  /** Name of the PodDisruptionBudget by which a node's pod is not evicted at all. */
  public static String disruptionBudget(SeiNode node) {
    return node.getMetadata().getName() + "-keep";
  }

  /**
   * Name of a template that a fleet keeps. It differs for another fleet of the same name, so that
   * what that one left is never in the way.
   */
  public static String revision(SeiNodeDeployment fleet, String hash, long number) {
    String uid = fleet.getMetadata().getUid();
    return revisions(fleet, hash) + number + "-" + uid.substring(0, Math.min(8, uid.length()));
  }

  /**
   * Returns the common prefix of the names of revisions with a hash, whichever fleet of the name
   * made them.
   */
  public static String revisions(SeiNodeDeployment fleet, String hash) {
    return fleet.getMetadata().getName() + "-" + hash + "-";
  }

  /**
   * Address of a node's p2p port for other nodes, as {@code host:port}. An external address that is
   * no host name is not given to them: it would be in the configuration of nodes of other
   * namespaces.
   */
  public static String peerAddress(SeiNode node) {
    String external = node.getSpec().externalAddress();
    return external != null && EXTERNAL.matcher(external).matches()
        ? external
        : host(node) + ":" + Ports.P2P;
  }

  /** Address of a node's RPC inside the cluster, as {@code host:port}; empty if it serves none. */
  public static Optional<String> rpcAddress(SeiNode node) {
    return Optional.of(host(node) + ":" + Ports.RPC)
        .filter(address -> NodeMode.of(node.getSpec()).servesRpc());
  }

  private static String host(SeiNode node) {
    return "%s.%s.%s.svc.cluster.local"
        .formatted(pod(node), service(node), node.getMetadata().getNamespace());
  }

  /** Name of the node's only pod. */
  public static String pod(SeiNode node) {
    return statefulSet(node) + "-0";
  }

  /** Name of the claim that holds the node's data: the imported one or the operator's own. */
  public static String claim(SeiNode node) {
    return importedClaim(node).orElseGet(() -> CLAIM_PREFIX + node.getMetadata().getName());
  }

  /** Name of the claim the node imports, if it does; not known of a node without a spec. */
  public static Optional<String> importedClaim(SeiNode node) {
    return node.getSpec() == null ? Optional.empty() : importedClaim(node.getSpec().dataVolume());
  }

  static Optional<String> importedClaim(DataVolume dataVolume) {
    return Optional.ofNullable(dataVolume)
        .map(DataVolume::importClaim)
        .map(DataVolume.Import::pvcName)
        .filter(name -> !name.isEmpty());
  }

  /** Name of the Job that replays a snapshot before the node has a pod of its own. */
  public static String bootstrapJob(SeiNode node) {
    return node.getMetadata().getName() + "-bootstrap";
  }

  /**
   * Name of a Job that pulls images ahead: a digest of the try, its images and the Kubernetes node,
   * so that a process finds the Job of another one.
   */
  public static String pullJob(SeiNode node, PullJob pull) {
    Stream<String> images = pull.images().stream().map(PulledImage::name);
    String target =
        Stream.concat(Stream.of(pull.slot(), pull.kubernetesNode()), images)
            .collect(Collectors.joining("\n"));
    return pullJobs(node) + Sha256.shortOf(target).substring(0, PULL_DIGITS);
  }

  /** Prefix of the names of a node's Jobs that pull images ahead. */
  public static String pullJobs(SeiNode node) {
    return node.getMetadata().getName() + "-pull-";
  }

  /**
   * Audience of the tokens that the proxy of one node accepts. A token for it opens no other
   * sidecar and is refused by the API server.
   */
  public static String sidecarAudience(String namespace, String nodeName) {
    return SIDECAR_AUDIENCE + namespace + "/" + nodeName;
  }

  /** Name of the ConfigMap that configures the node's proxy. */
  public static String rbacProxyConfig(SeiNode node) {
    return node.getMetadata().getName() + "-rbac-proxy-config";
  }
}
