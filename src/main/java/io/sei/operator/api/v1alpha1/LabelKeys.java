package io.sei.operator.api.v1alpha1;

import java.util.Set;

/** Keys of labels that rules of the API name; they never change. */
public final class LabelKeys {

  /** Prefix of the labels by which the operator and its Services select pods. */
  public static final String PREFIX = "sei.io/";

  public static final String NODE = "sei.io/node";
  public static final String CHAIN = "sei.io/chain";
  public static final String ROLE = "sei.io/role";

  /** Labels of every object of a node, whatever {@code spec.podLabels} says. */
  public static final Set<String> SYSTEM = Set.of(NODE, CHAIN, ROLE);

  /** Name of a fleet, on its nodes and their pods. */
  public static final String NODE_DEPLOYMENT = "sei.io/nodedeployment";

  /** Revision of a fleet's template, on the nodes that were made from it and on their pods. */
  public static final String REVISION = "sei.io/revision";

  /**
   * On a SeiNode, set by the user: the other namespace whose nodes may find it by label, or {@code
   * All}.
   */
  public static final String PEERS_FROM = "sei.io/peers-from";

  private LabelKeys() {}
}
