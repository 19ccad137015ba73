package io.sei.operator.config;

import java.time.Duration;
import java.util.Set;

/**
 * The operator process itself.
 *
 * @param watchNamespaces namespaces to manage, in alphabetical order; empty means all
 * @param shard the part of the cluster that this process manages
 * @param reconcileThreads how many resources are reconciled at the same time
 * @param progressDeadline how long a node may wait before it counts as stalled, unless its resource
 *     says otherwise
 * @param confirmReadyAfterBlock how long a node of a fleet must stay Ready after its first new
 *     block before it counts as done
 * @param confirmReadyWithoutBlock the same, after it was Ready, where no new block is seen
 * @param watchSilence how long a watch may be silent before it is renewed
 * @param metricsPort port of /metrics, 0 for any free one
 * @param healthPort port of /healthz and /readyz, 0 for any free one
 * @param retainVolumes whether a PersistentVolume whose claim is being deleted under a running pod
 *     is set to Retain
 * @param releasesConfigMap ConfigMap in the operator's namespace with releases of seid
 * @param signsByNamespace whether a signing key has one signer in a namespace only, not in a
 *     cluster
 */
public record ProcessConfig(
    Set<String> watchNamespaces,
    Shard shard,
    int reconcileThreads,
    Duration progressDeadline,
    Duration confirmReadyAfterBlock,
    Duration confirmReadyWithoutBlock,
    Duration watchSilence,
    int metricsPort,
    int healthPort,
    boolean retainVolumes,
    String releasesConfigMap,
    boolean signsByNamespace) {}
