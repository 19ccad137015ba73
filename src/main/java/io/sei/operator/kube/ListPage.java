package io.sei.operator.kube;

/**
 * Sizes the pages of lists. A page is in memory as a whole, first as bytes and a copy of them,
 * before anything of it is left out, and whoever may write to one namespace can make objects of any
 * kind as large as etcd stores them: labels, which nothing limits, are enough for 1.5 MiB.
 */
public final class ListPage {

  /** Most objects of a page. */
  public static final long SIZE = 50;

  private ListPage() {}
}
