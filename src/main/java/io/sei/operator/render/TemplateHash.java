package io.sei.operator.render;

import io.sei.operator.api.v1alpha1.SeiNode;

/**
 * Names what a deployment's template makes of a pod. It is the {@link SpecHash} of the nodes made
 * from it, without what is asked of one alone, spelled so that it can be a label, so it changes
 * exactly when pods have to be replaced.
 */
public final class TemplateHash {

  private static final char HASH_SEPARATOR = ':';
  private static final char LABEL_SEPARATOR = '-';

  private TemplateHash() {}

  /** The hash of the template a node's spec comes from. */
  public static String of(SeiNode node) {
    return ofSpecHash(SpecHash.ofTemplate(node));
  }

  /** The hash of the template whose nodes have this spec hash; null for null. */
  public static String ofSpecHash(String specHash) {
    return specHash == null ? null : specHash.replace(HASH_SEPARATOR, LABEL_SEPARATOR);
  }

  /** Returns whether a hash is one of this version's, so that it can be compared with others. */
  public static boolean isKnownFormat(String hash) {
    return hash != null && SpecHash.isKnownFormat(hash.replace(LABEL_SEPARATOR, HASH_SEPARATOR));
  }
}
