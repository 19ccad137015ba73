package io.sei.operator.reconcile;

import io.fabric8.kubernetes.api.model.HasMetadata;

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

  /** Does what has to be done before a resource goes, whatever becomes of its data. */
  default void leave(R resource, ApiRejections refusals) {}

  /** Takes its owner off what outlives the resource. */
  void release(R resource);
}
