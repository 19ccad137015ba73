package io.sei.operator.kube;

import io.fabric8.kubernetes.api.model.ConfigMap;

/**
 * Sizes the pages of lists. A page is in memory as a whole, first as bytes and a copy of them,
 * before anything of it is left out, and an object may have 1.5 MiB, which is what etcd stores.
 */
public final class ListPage {

  /** Most objects of a page of a kind of the operator's own. */
  public static final long SIZE = 50;

  /** ConfigMaps are what tenants keep files in. */
  private static final long CONFIG_MAPS = 5;

  private ListPage() {}

  /** Most objects of a page of a kind. */
  public static long size(Class<?> type) {
    return type == ConfigMap.class ? CONFIG_MAPS : SIZE;
  }
}
