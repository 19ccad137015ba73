package io.sei.operator.config;

import java.util.Set;

/**
 * Namespaces in which nodes and fleets are taken over from a Go operator.
 *
 * @param namespaces namespaces with nodes to adopt, and that of the Go operator, in alphabetical
 *     order; empty means that nothing is taken over
 */
public record TakeoverConfig(Set<String> namespaces) {

  /** Returns whether nodes and fleets of a namespace may be adopted. */
  public boolean covers(String namespace) {
    return namespaces.contains(namespace);
  }
}
