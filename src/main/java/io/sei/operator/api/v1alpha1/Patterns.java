package io.sei.operator.api.v1alpha1;

/** Patterns of the schema, shared with the operator's own validation. */
public final class Patterns {

  /** A DNS-1123 label without its length limit, as the Go operator's CRDs have it. */
  public static final String DNS_LABEL = "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$";

  /** Name of a key in the operator's keyring. */
  public static final String KEY_NAME = "^[a-zA-Z0-9_-]+$";

  private Patterns() {}
}
