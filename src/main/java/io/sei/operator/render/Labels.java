package io.sei.operator.render;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.sei.operator.api.v1alpha1.LabelKeys;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/** Labels of the objects the operator makes; the keys never change. */
public final class Labels {

  /** Name of the SeiNode an object belongs to; the only label StatefulSets select by. */
  public static final String NODE = LabelKeys.NODE;

  /** Chain the node belongs to. */
  public static final String CHAIN = LabelKeys.CHAIN;

  /** Role of the node: {@link NodeMode#role()}. */
  public static final String ROLE = LabelKeys.ROLE;

  /** Name of the SeiNodeDeployment that a node belongs to. */
  public static final String NODE_DEPLOYMENT = LabelKeys.NODE_DEPLOYMENT;

  /** Ordinal of a node within its SeiNodeDeployment. */
  public static final String NODE_DEPLOYMENT_ORDINAL = "sei.io/nodedeployment-ordinal";

  /** Revision of the SeiNodeDeployment's template that a node was made from. */
  public static final String REVISION = LabelKeys.REVISION;

  /**
   * On a VolumeSnapshot: lowest height of the chain that its data may have. Its image is the
   * annotation {@link Annotations#IMAGE}, since a label holds neither slash nor colon.
   */
  public static final String HEIGHT = "sei.io/height";

  /** On a VolumeSnapshot: {@link #OPERATOR}, by which retention selects. */
  public static final String MANAGED_BY = "app.kubernetes.io/managed-by";

  /** Value of {@link #MANAGED_BY}. */
  public static final String OPERATOR = "sei-operator";

  /** Component of a node's object that is not part of the running node. */
  public static final String COMPONENT = "sei.io/component";

  /**
   * Name of the SeiNode that an image is pulled for; the only label of that Job and its pod, which
   * no Service, StatefulSet or cache of a node selects.
   */
  public static final String IMAGE_PULL = "sei.io/image-pull";

  /** On a claim: name of the SeiSigningKey that signs, or has signed, on its data. */
  public static final String SIGNING_KEY = "sei.io/signing-key";

  private static final String BOOTSTRAP = "bootstrap";

  /** Labels that the operator decides on, whatever {@code spec.podLabels} says. */
  static final Set<String> SYSTEM = LabelKeys.SYSTEM;

  private Labels() {}

  /**
   * The labels by which a node's StatefulSet and Service select its pod. A StatefulSet's selector
   * can never be changed, so nothing that may change is in it.
   */
  public static Map<String, String> selector(String nodeName) {
    return Map.of(NODE, nodeName);
  }

  /** Returns the label selector of the pods of a fleet's nodes, in one line. */
  public static String selectorOfFleet(SeiNodeDeployment fleet) {
    return NODE_DEPLOYMENT + "=" + fleet.getMetadata().getName();
  }

  /**
   * The labels of a node's bootstrap Job and of its pod. The user's pod labels are not among them:
   * what selects by those is meant for a node that runs. Sorted by key.
   */
  public static SortedMap<String, String> ofBootstrap(String nodeName) {
    return Collections.unmodifiableSortedMap(
        new TreeMap<>(Map.of(NODE, nodeName, COMPONENT, BOOTSTRAP)));
  }

  /** The labels of the Jobs that pull images for a node, and of their pods. */
  public static Map<String, String> ofPull(String nodeName) {
    return Map.of(IMAGE_PULL, nodeName);
  }

  /** Returns whether a label is one that the operator alone sets on pods. */
  static boolean isOfOperator(String key) {
    return key.startsWith(LabelKeys.PREFIX);
  }

  /** Returns whether a pod is one of a bootstrap Job. */
  public static boolean isOfBootstrap(HasMetadata object) {
    return of(object, COMPONENT).filter(BOOTSTRAP::equals).isPresent();
  }

  /** Returns whether an object carries the name of a node. */
  public static boolean isOfNode(HasMetadata object, String node) {
    return of(object, NODE).filter(node::equals).isPresent();
  }

  /**
   * Returns labels for chain and role of a node without a fleet, unless it has these keys, so that
   * all nodes are selected by the same labels. A value of the user's stays: a GitOps tool would
   * write it again. Labels of a SeiNode are in no hash.
   */
  public static Map<String, String> missing(SeiNode node) {
    if (of(node, NODE_DEPLOYMENT).isPresent()) {
      return Map.of();
    }
    var labels =
        new TreeMap<>(
            Map.of(CHAIN, node.getSpec().chainId(), ROLE, NodeMode.of(node.getSpec()).role()));
    labels.keySet().removeIf(key -> of(node, key).isPresent());
    return labels;
  }

  /** The value of a label. */
  public static Optional<String> of(HasMetadata object, String key) {
    return Optional.ofNullable(object.getMetadata().getLabels()).map(labels -> labels.get(key));
  }

  /**
   * The labels of every object of a node, its pod included: the user's pod labels, over which the
   * operator's own win. Sorted by key.
   */
  public static SortedMap<String, String> of(SeiNode node) {
    var spec = node.getSpec();
    var labels = new TreeMap<String, String>();
    if (spec.podLabels() != null) {
      labels.putAll(spec.podLabels());
    }
    labels.put(NODE, node.getMetadata().getName());
    labels.put(CHAIN, spec.chainId());
    labels.put(ROLE, NodeMode.of(spec).role());
    return Collections.unmodifiableSortedMap(labels);
  }
}
