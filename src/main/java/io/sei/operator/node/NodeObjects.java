package io.sei.operator.node;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Service;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.kube.SettledObjects;
import java.time.Duration;
import java.util.function.Function;

/** All objects of a node, kept as rendered. */
public final class NodeObjects {

  private final StatefulSetSync statefulSets;
  private final OwnedObjectSync owned;
  private final DataClaim dataClaim;
  private final SettledObjects settled;
  private final Function<SeiNode, Service> service;
  private final Function<SeiNode, ConfigMap> proxyConfig;

  /**
   * @param service renders the headless Service
   * @param proxyConfig renders the configuration of the proxy in front of the sidecar
   */
  public NodeObjects(
      StatefulSetSync statefulSets,
      OwnedObjectSync owned,
      DataClaim dataClaim,
      SettledObjects settled,
      Function<SeiNode, Service> service,
      Function<SeiNode, ConfigMap> proxyConfig) {
    this.statefulSets = statefulSets;
    this.owned = owned;
    this.dataClaim = dataClaim;
    this.settled = settled;
    this.service = service;
    this.proxyConfig = proxyConfig;
  }

  /**
   * Settles whose the StatefulSet with the node's name is, where there may be one.
   *
   * @return false if nothing more may be done before the status is written, or for now
   */
  public boolean identify(NodeWork work) {
    boolean nothingYet =
        work.status().statefulSet() == null
            && work.status().replacing() == null
            && work.statefulSet().isEmpty()
            && !work.snapshot().isRunning();
    if (nothingYet) {
      return true;
    }
    if (!isReady(work, statefulSets.identify(work))) {
      return false;
    }
    if (work.status().statefulSet() == null && work.statefulSet().isPresent()) {
      work.track(work.statefulSet().get());
      work.recheckAfter(Duration.ZERO);
      return false;
    }
    return true;
  }

  /** Keeps everything in sync that exists already, and what a node that has run must have. */
  public void sync(NodeWork work) {
    boolean exists = work.status().statefulSet() != null || work.snapshot().isRunning();
    if (!exists) {
      return;
    }
    work.refusals().run(() -> dataClaim.syncOwnership(work));
    work.refusals().run(() -> isReady(work, syncProxyConfig(work)));
    work.refusals().run(() -> isReady(work, syncStatefulSet(work)));
    work.refusals().run(() -> isReady(work, syncService(work)));
  }

  /** Applies the StatefulSet. */
  public SyncResult syncStatefulSet(NodeWork work) {
    return statefulSets.sync(work);
  }

  /** Applies the Service. */
  public SyncResult syncService(NodeWork work) {
    return owned.sync(work, service, work.snapshot().service());
  }

  /** Applies the configuration of the proxy. */
  public SyncResult syncProxyConfig(NodeWork work) {
    return owned.sync(work, proxyConfig, work.snapshot().proxyConfig());
  }

  /** Forgets what is known of the objects of a node that is gone. */
  public void forget(ResourceID node) {
    settled.forget(node);
  }

  private static boolean isReady(NodeWork work, SyncResult result) {
    if (result instanceof SyncResult.Blocked blocked) {
      work.recheckAfter(blocked.recheck());
    } else if (result instanceof SyncResult.Persist) {
      work.recheckAfter(Duration.ZERO);
    }
    return result instanceof SyncResult.Ready;
  }
}
