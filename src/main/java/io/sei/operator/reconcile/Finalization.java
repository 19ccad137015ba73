package io.sei.operator.reconcile;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.sei.operator.kube.RefusedException;

/**
 * Finalization of a deleted resource of one kind. Most of what it owns is garbage-collected through
 * owner references; only what outlives it needs the finalizer, and loses its owner reference first.
 *
 * @param <R> the resource
 */
public interface Finalization<R extends HasMetadata> {

  /** The finalizer; where nothing is retained it is removed from resources that come with it. */
  String finalizer();

  /** Returns whether something outlives the resource, so that it needs the finalizer. */
  boolean isRetained(R resource);

  /** Announces which data is deleted together with the resource. */
  void announce(R resource);

  /** Stops the background work for a resource. */
  default void pause(R resource) {}

  /** Returns whether the finalizer waits until what outlives the resource has no owner. */
  default boolean isRetaining(R resource) {
    return resource.hasFinalizer(finalizer()) && isRetained(resource);
  }

  /**
   * Takes its owner off what outlives the resource if that is retained, and stops what it has
   * begun.
   *
   * @param rejections writes that may be rejected without keeping the finalizer
   * @throws RefusedException if what outlives the resource would be deleted with it
   */
  void release(R resource, ApiRejections rejections);
}
